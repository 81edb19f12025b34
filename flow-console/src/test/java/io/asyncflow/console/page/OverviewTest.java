package io.asyncflow.console.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SampleApi.Called;
import io.asyncflow.console.SamplePages;
import io.asyncflow.console.text.Language;
import java.util.Map;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletResponse;

class OverviewTest {

  private final SampleApi api = new SampleApi();
  private final SamplePages pages = new SamplePages(api);

  private Document open(String address) throws Exception {
    return Jsoup.parse(pages.html(address, Language.EN));
  }

  @Test
  void problemsHaveCausesAndLeadToWhatHelps() throws Exception {
    Document page = open("");

    assertThat(link(page, "NO_WORKER tts/merge")).isEqualTo("/console/workers?stage=tts%2Fmerge");
    assertThat(link(page, "LIMIT tts")).isEqualTo("/console/types/tts?tab=settings");
    assertThat(link(page, "POISONED report"))
        .isEqualTo("/console/failures?type=report&verdict=POISON");
    assertThat(link(page, "TABLE_STUCK tts")).isEqualTo("/console/types/tts?tab=tables");
    assertThat(link(page, "DUTY hooks")).isEqualTo("/console/cluster");
    assertThat(problem(page, "WORKER_LOST gpu-5").text()).contains("still holds tasks: 8");
    assertThat(problem(page, "WORKER_QUARANTINED gpu-6").text()).contains("cuda:1/0");
    assertThat(problem(page, "OF_A_NEWER_SERVER tts").text()).contains("OF_A_NEWER_SERVER");
  }

  @Test
  void graveProblemsComeFirst() throws Exception {
    assertThat(open("").select("#problems li").eachAttr("data-grave"))
        .hasSize(5)
        .isEqualTo(open("").select("#problems li:nth-child(-n+5)").eachAttr("data-grave"));
  }

  /** The SDK says of a worker that is well: healthy, none and 0. */
  @Test
  void workerThatIsWellIsNoProblem() throws Exception {
    assertThat(open("").select("#problems li").eachAttr("data-key"))
        .noneMatch(key -> key.endsWith("gpu-1"))
        .noneMatch(key -> key.startsWith("WORKER_HEALTH"));
    assertThat(open("/workers").select("tr[data-key=gpu-1]").text()).doesNotContain("Unhealthy");
  }

  private static Element problem(Document page, String key) {
    return page.selectFirst("#problems li[data-key=\"" + key + "\"]");
  }

  private static String link(Document page, String key) {
    return problem(page, key).select("a").attr("href");
  }

  @Test
  void numbersSayHowExactTheyAre() throws Exception {
    Document page = open("");

    assertThat(page.select("tr[data-key=tts] td[data-l=Due] [aria-hidden]").text())
        .isEqualTo("≈ 9.8 M");
    assertThat(page.select("tr[data-key=tts] td[data-l=Due] .hidden").text())
        .isEqualTo("about 9.8 M");
    assertThat(page.select("tr[data-key=Render] td[data-l=Due] [aria-hidden]").text())
        .isEqualTo("≥ 1,000");
    assertThat(page.select("tr[data-key=report] td[data-l=Due]").text()).isEqualTo("412");
    assertThat(page.select("#tiles [data-key=due] [aria-hidden]").text()).isEqualTo("≥ 9.8 M");
  }

  @Test
  void openPageIsAnsweredInWholeWhenThereIsNews() throws Exception {
    String shown = pages.openAgain("", "\"none\"").getHeader("ETag");
    for (int i = 0; i < 2; i++) {
      MockHttpServletResponse same = pages.openAgain("", shown);
      assertThat(same.getStatus()).isEqualTo(304);
      assertThat(same.getHeader("ETag")).isEqualTo(shown);
      assertThat(same.getHeader("Cache-Control")).contains("no-cache", "private");
      assertThat(same.getContentAsByteArray()).isEmpty();
    }
    assertThat(pages.openAgain("?wall=1", shown).getStatus()).as("another page").isEqualTo(200);

    api.calm(true);
    MockHttpServletResponse news = pages.openAgain("", shown);
    assertThat(news.getStatus()).isEqualTo(200);
    assertThat(news.getHeader("ETag")).isNotEqualTo(shown);
    api.calm(false);
    assertThat(pages.openAgain("", shown).getStatus()).as("as it was before").isEqualTo(304);
  }

  @Test
  void typeIsPausedAndResumedHere() throws Exception {
    Document page = open("");
    assertThat(page.select("#act-type_resume-Render")).hasSize(1);
    Element form = page.selectFirst("#act-type_pause-tts form");

    MockHttpServletResponse answer =
        pages.submit(
            form.attr("action").substring("/console".length()),
            "from",
            form.select("input[name=from]").attr("value"),
            "reason",
            "maintenance");

    assertThat(api.acts())
        .containsExactly(
            new Called(
                "/api/pause/set", Map.of("kind", "TYPE", "name", "tts", "reason", "maintenance")));
    assertThat(answer.getHeader("Location")).isEqualTo("/console");
    assertThat(answer.getHeader("Set-Cookie")).startsWith("asyncflow_done=type_pause;");
  }

  @Test
  void lastSnapshotStaysWhenTheDatabaseIsAway() throws Exception {
    assertThat(open("").select("#stale .notice")).isEmpty();
    api.refusing(ErrorCode.UNAVAILABLE, "the database is down");

    MockHttpServletResponse answer = pages.open("", Language.EN);
    Document page = Jsoup.parse(answer.getContentAsString());

    assertThat(answer.getStatus()).isEqualTo(200);
    assertThat(page.select("#stale .notice time").attr("datetime"))
        .isEqualTo("2026-11-23T02:13:20.000Z");
    assertThat(page.select("tbody tr")).hasSize(4);

    api.answering();
    assertThat(open("").select("#stale .notice")).isEmpty();
  }

  @Test
  void snapshotOfOneOperatorIsShownToNoOther() throws Exception {
    open("");
    api.refusing(ErrorCode.UNAVAILABLE, "the database is down").withVerbs("STATS_READ");

    assertThat(pages.open("", Language.EN).getStatus()).isEqualTo(503);
  }

  @Test
  void refusalIsNoReasonToShowTheLastSnapshot() throws Exception {
    open("");
    api.refusing(ErrorCode.VERB_MISSING, "no longer");

    assertThat(pages.open("", Language.EN).getStatus()).isEqualTo(403);
  }

  @Test
  void operatorOfSomeUsersOrWithoutNumbersSeesTheTypes() throws Exception {
    api.refusing(ErrorCode.OUT_OF_SCOPE, "not all users");
    assertThat(pages.open("", Language.EN).getHeader("Location")).isEqualTo("/console/types");

    api.answering().withVerbs("TYPE_READ");
    assertThat(pages.open("", Language.EN).getHeader("Location")).isEqualTo("/console/types");
  }

  @Test
  void operatorWhoSeesNoWorkersAndServersSeesTheRest() throws Exception {
    api.withVerbs("STATS_READ");
    Document page = open("");

    assertThat(page.select("#problems li").eachAttr("data-key"))
        .isNotEmpty()
        .noneMatch(key -> key.startsWith("WORKER_") || key.startsWith("DUTY"));
    assertThat(page.select("#tiles [data-key=workers]")).isEmpty();
    assertThat(page.select(".act")).isEmpty();
  }

  @Test
  void firstTypeIsMadeWithACall() throws Exception {
    api.empty(true);

    assertThat(open("").select("main pre").text())
        .isEqualTo(
            "curl -s \"$FLOW_URL/api/task_schedule_cfg/save\" --json"
                + " '{\"task_type\":\"hello\"}'");
    api.asOf("KEY");
    assertThat(open("").select("main pre").text())
        .isEqualTo(
            "curl -s -H \"Authorization: Bearer $FLOW_API_KEY\""
                + " \"$FLOW_URL/api/task_schedule_cfg/save\" --json"
                + " '{\"task_type\":\"hello\"}'");

    api.withVerbs("STATS_READ", "TYPE_READ");
    assertThat(open("").select("main pre")).isEmpty();
    assertThat(open("").select(".empty").text()).contains("An administrator creates");
  }

  @Test
  void stageWithoutWorkersLeadsThoseWhoSeeNoneToItsType() throws Exception {
    api.withVerbs("STATS_READ", "TYPE_READ");

    assertThat(open("").select("#problems li[data-key^=NO_WORKER] a").eachAttr("href"))
        .containsExactly("/console/types/tts");
  }

  @Test
  void wallHasNoFrameAndNoActs() throws Exception {
    Document page = open("?wall=1");

    assertThat(page.select("header, nav, footer, .act")).isEmpty();
    assertThat(page.select("#live, #tiles, #problems, #rows")).hasSize(4);
    assertThat(page.select("#problems li[data-grave]")).hasSize(5);
    assertThat(page.select("#problems li[data-key=more]").text()).contains("6");
  }
}
