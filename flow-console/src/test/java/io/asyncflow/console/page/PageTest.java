package io.asyncflow.console.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.console.Payloads;
import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SamplePages;
import io.asyncflow.console.text.Language;
import io.asyncflow.console.text.Strange;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Attribute;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.mock.web.MockHttpServletResponse;

class PageTest {

  private static final int HTML_BYTES = 160_000;
  private static final int LIST_BYTES = 20 * 1024;

  static Stream<Arguments> pages() {
    return Stream.concat(SamplePages.ALL.stream(), Stream.of(SamplePages.KITCHEN))
        .flatMap(
            page -> Stream.of(Language.values()).map(language -> Arguments.of(page, language)));
  }

  @ParameterizedTest
  @MethodSource("pages")
  void pageIsSoundHtml(String address, Language language) throws Exception {
    SamplePages pages = new SamplePages(new SampleApi());
    Document page = Jsoup.parse(pages.html(address, language));

    assertThat(pages.open(address, language).getStatus())
        .isEqualTo(address.equals("/nowhere") ? 404 : 200);
    assertThat(page.select("header, nav.side, main, footer"))
        .hasSize(address.equals("?wall") ? 1 : address.equals("/login") ? 3 : 4);
    assertSound(page, language);
  }

  @ParameterizedTest
  @EnumSource
  void previewOfABulkIsSoundHtml(Language language) throws Exception {
    Document page = Jsoup.parse(new SamplePages(new SampleApi()).preview(language));

    assertThat(page.select("table.list tbody tr")).isNotEmpty();
    assertSound(page, language);
  }

  private static void assertSound(Document page, Language language) {
    assertThat(page.select("h1")).hasSize(1);
    assertThat(page.select("html").attr("lang")).isEqualTo(language.code());
    assertThat(page.title()).endsWith(" · Asyncflow");
    assertThat(page.select("[style], style, script:not([src]), iframe, object, embed, base"))
        .isEmpty();
    assertThat(page.select("script")).allMatch(script -> script.attr("type").equals("module"));
    for (Element element : page.getAllElements()) {
      for (Attribute attribute : element.attributes()) {
        assertThat(attribute.getKey()).as(element.toString()).doesNotStartWith("on");
      }
    }
    for (Element link : page.select("[href], [src], [action]")) {
      String url =
          link.hasAttr("href")
              ? link.attr("href")
              : link.hasAttr("src") ? link.attr("src") : link.attr("action");
      assertThat(url.matches("#main|/console([/?].*)?")).as(url).isTrue();
    }
    for (Element field : page.select("input:not([type=hidden]), select")) {
      boolean isLabelled =
          field.closest("label") != null || !page.select("label[for=" + field.id() + "]").isEmpty();
      assertThat(isLabelled).as(field.toString()).isTrue();
    }
    assertThat(page.select("time")).allMatch(time -> time.attr("datetime").endsWith("Z"));
    List<String> ids = page.select("[id]").eachAttr("id");
    assertThat(ids).doesNotHaveDuplicates();
    assertThat(page.select("[data-live]")).allMatch(region -> region.hasAttr("id"));
    assertThat(page.select("form[method=post]")).allMatch(form -> form.hasAttr("action"));
    assertThat(page.outerHtml().length()).isLessThan(HTML_BYTES);
  }

  private static final Set<String> EXACT =
      Set.of("value", "href", "action", "formaction", "src", "data-copy");

  static Stream<String> payloads() {
    return Payloads.all().stream();
  }

  @ParameterizedTest
  @MethodSource("payloads")
  void textOfAStrangerStaysAText(String payload) throws Exception {
    SamplePages plain = new SamplePages(new SampleApi());
    SamplePages hostile = new SamplePages(new SampleApi().withStranger(payload));
    for (String address : SamplePages.ALL) {
      assertOnlyText(hostile.html(address, Language.EN), plain.html(address, Language.EN));
    }
    assertOnlyText(hostile.preview(Language.EN), plain.preview(Language.EN));
  }

  private static void assertOnlyText(String hostile, String plain) {
    Document page = Jsoup.parse(hostile);

    assertThat(page.select("script")).hasSameSizeAs(Jsoup.parse(plain).select("script"));
    assertThat(
            page.select(
                "main img, main b:not(.facets b):not(.keys-of-map b), main style, main script,"
                    + " main bdo, main iframe"))
        .isEmpty();
    assertThat(page.select("main svg > *:not(use, rect, path, desc)")).isEmpty();
    assertThat(page.select("[onmouseover], [onfocus], [onclick], [onerror], [autofocus]"))
        .isEmpty();
    assertThat(
            page.getAllElements().stream()
                .flatMap(element -> element.attributes().asList().stream()))
        .as("attributes that are read, not sent or followed")
        .filteredOn(attribute -> !EXACT.contains(attribute.getKey()))
        .allMatch(attribute -> Strange.visible(attribute.getValue()).equals(attribute.getValue()));
    assertThat(page.select("[href^=javascript], [href^=data], [href^=//], [href^=http]")).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("payloads")
  void textOfAStrangerIsShownAsItIs(String payload) throws Exception {
    String shown = Strange.visible(payload);
    SamplePages pages = new SamplePages(new SampleApi().withStranger(payload));
    for (String address :
        List.of(
            "",
            "/failures",
            "/types/tts",
            "/types/tts?tab=acts",
            "/types/tts?tab=failures",
            "/jobs",
            "/jobs/" + SampleApi.JOB,
            "/tasks/" + SampleApi.TASK,
            "/workers",
            "/worker?id=gpu-2",
            "/schedules",
            "/schedules/" + SampleApi.SCHEDULE,
            "/cluster",
            "/audit")) {
      assertThat(Jsoup.parse(pages.html(address, Language.EN)).select("main bdi"))
          .as(address)
          .anyMatch(text -> text.wholeText().contains(shown));
    }
  }

  static Stream<String> lists() {
    return Stream.of(
        "",
        "/failures",
        "/types",
        "/types/tts?tab=history&range=14d",
        "/types/tts?tab=acts",
        "/jobs",
        "/jobs/" + SampleApi.JOB,
        "/workers",
        "/schedules",
        "/audit");
  }

  @ParameterizedTest
  @MethodSource("lists")
  void fullListStaysWithinItsBudget(String address) throws Exception {
    SamplePages pages = new SamplePages(new SampleApi().withRows(100));
    String html = pages.html(address, Language.ZH);
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(compressed)) {
      gzip.write(html.getBytes(StandardCharsets.UTF_8));
    }

    assertThat(Jsoup.parse(html).select("tbody tr")).hasSizeGreaterThanOrEqualTo(100);
    assertThat(compressed.size()).isLessThan(LIST_BYTES);
  }

  @Test
  void unseenCharactersAreShownByTheirNumbers() throws Exception {
    SamplePages pages = new SamplePages(new SampleApi().withStranger("\u202Egnp.exe"));
    String html = pages.html("/tasks/" + SampleApi.TASK, Language.EN);

    assertThat(html).contains("⟨U+202E⟩").contains("gnp.exe");
    assertThat(Jsoup.parse(html).select("main").text()).doesNotContain("\u202E");
    String worker = pages.html("/worker?id=gpu-1", Language.EN);
    assertThat(Jsoup.parse(worker).title()).contains("⟨U+202E⟩").doesNotContain("\u202E");
  }

  @ParameterizedTest
  @MethodSource("pages")
  void pageWithoutContentSaysSo(String address, Language language) throws Exception {
    if (address.startsWith("/types/")
        || address.startsWith("/worker?")
        || address.equals(SamplePages.KITCHEN)) {
      return; // there is none then
    }
    SamplePages pages = new SamplePages(new SampleApi().empty(true));
    Document page = Jsoup.parse(pages.html(address, language));

    assertThat(page.select("h1")).hasSize(1);
    assertThat(page.select("table.list tbody").eachText()).doesNotContain("");
  }

  @Test
  void workersComeAHundredAtATimeAndNoneIsLeftOut() throws Exception {
    SamplePages pages = new SamplePages(new SampleApi().withRows(230));
    List<String> ids = new ArrayList<>();
    String address = "/workers";
    for (int page = 0; page < 3; page++) {
      Document list = Jsoup.parse(pages.html(address, Language.EN));
      List<String> some = list.select("#rows tr").eachAttr("data-key");
      assertThat(some).hasSizeLessThanOrEqualTo(100);
      ids.addAll(some);
      address = list.select("a[rel=next]").attr("href").replaceFirst("^/console", "");
    }

    assertThat(address).as("after the last page").isEmpty();
    assertThat(ids).hasSizeGreaterThanOrEqualTo(230).doesNotHaveDuplicates();
  }

  @Test
  void unchangedPageIsNotSentAgain() throws Exception {
    SamplePages pages = new SamplePages(new SampleApi());
    MockHttpServletResponse first = pages.open("/types", Language.EN);
    MockHttpServletResponse other = pages.open("/types", Language.EN);

    assertThat(first.getHeader("ETag")).isNotBlank().isEqualTo(other.getHeader("ETag"));
    assertThat(first.getHeader("Cache-Control")).isEqualTo("no-cache, private");
  }

  @Test
  void pageOfAnotherSessionHasAnotherTagSinceItsFormsHaveAnotherToken() throws Exception {
    MockHttpServletResponse one =
        new SamplePages(new SampleApi().withToken("token-of-one")).open("/types", Language.EN);
    MockHttpServletResponse other =
        new SamplePages(new SampleApi().withToken("token-of-other")).open("/types", Language.EN);

    assertThat(one.getContentAsString()).contains("token-of-one");
    assertThat(one.getHeader("ETag")).isNotEqualTo(other.getHeader("ETag"));
  }

  @Test
  void everyPageHasThePolicy() throws Exception {
    for (String address : SamplePages.ALL) {
      assertThat(
              new SamplePages(new SampleApi())
                  .open(address, Language.EN)
                  .getHeader("Content-Security-Policy"))
          .contains("default-src 'none'")
          .contains("require-trusted-types-for 'script'")
          .doesNotContain("unsafe");
    }
  }

  @Test
  void operatorWithoutVerbsIsOfferedNoAct() throws Exception {
    SamplePages pages =
        new SamplePages(
            new SampleApi().withVerbs("TYPE_READ", "TASK_READ", "JOB_READ", "STATS_READ"));
    Document task = Jsoup.parse(pages.html("/tasks/" + SampleApi.TASK, Language.EN));

    assertThat(task.select("main form[method=post]")).isEmpty();
    assertThat(task.select("#context")).isEmpty();
    assertThat(task.select("nav.side a").eachText())
        .containsExactly("Overview", "Tasks", "Failures", "Types", "Jobs");
    assertThat(Jsoup.parse(pages.html("/types/tts", Language.EN)).select("main button")).isEmpty();
  }

  @Test
  void pageHasNoLinkToWhatItsReaderIsRefused() throws Exception {
    List<String> verbs = new ArrayList<>(List.of(SampleApi.ALL_VERBS));
    verbs.removeAll(
        List.of(
            "WORKER_READ", "SCHEDULE_READ", "GOVERN_READ", "AUDIT_READ", "BULK", "CONTEXT_READ"));
    String refused = "/(workers?|schedules|cluster|audit|bulk|file/(document|input))([/?].*)?";
    SampleApi api = new SampleApi().withVerbs(verbs.toArray(String[]::new));
    SamplePages pages = new SamplePages(api);
    for (int status : new int[] {1, 2}) {
      api.withTaskStatus(status);
      for (String address : SamplePages.ALL) {
        if (!address.matches(refused) && !address.endsWith("tab=acts")) {
          assertThat(Jsoup.parse(pages.html(address, Language.EN)).select("a").eachAttr("href"))
              .as(address)
              .noneMatch(link -> link.matches("/console" + refused));
        }
      }
    }
  }

  @Test
  void refusedCallIsAPageWithItsStatus() throws Exception {
    MockHttpServletResponse answer =
        new SamplePages(
                new SampleApi().refusing(ErrorCode.OUT_OF_SCOPE, "the type tts is not yours"))
            .open("/types", Language.ZH);

    assertThat(answer.getStatus()).isEqualTo(403);
    assertThat(answer.getContentAsString(StandardCharsets.UTF_8))
        .contains("您不能执行此操作")
        .contains("the type tts is not yours");
  }

  @Test
  void serverThatIsBusyIsAskedAgainLater() throws Exception {
    MockHttpServletResponse answer =
        new SamplePages(new SampleApi().refusing(ErrorCode.UNAVAILABLE, "the database is down"))
            .open("/workers", Language.EN);

    assertThat(answer.getStatus()).isEqualTo(503);
    assertThat(answer.getHeader("Retry-After")).isEqualTo("1");
  }
}
