package io.asyncflow.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SamplePages;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What all pages look like in windows of one width. Pictures of them lie in {@code
 * target/screenshots} afterwards, to be looked at.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("browser")
abstract class PageLooks extends BrowserTest {

  private static final boolean ALL_LOOKS = Boolean.getBoolean("asyncflow.test.all-looks");

  private static String axe;

  private final int width;

  /**
   * @param width of the windows, pixels
   */
  PageLooks(int width) {
    this.width = width;
  }

  @BeforeAll
  static void readAxe() throws IOException {
    try (InputStream in = PageLooks.class.getResourceAsStream("/axe.min.js")) {
      axe = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** A language, a theme and a width: of the four in a row, any two values meet once. */
  private record Look(String language, String theme, int width) {

    static final List<Look> PAIRWISE =
        List.of(
            new Look("en", "light", WIDE),
            new Look("zh", "dark", WIDE),
            new Look("en", "dark", NARROW),
            new Look("zh", "light", NARROW));

    static final List<Look> ALL =
        Stream.of("en", "zh")
            .flatMap(
                language ->
                    Stream.of("light", "dark")
                        .flatMap(
                            theme ->
                                Stream.of(WIDE, NARROW)
                                    .map(width -> new Look(language, theme, width))))
            .toList();

    String preferences() {
      return "lang=" + language + "&theme=" + theme + "&times=absolute";
    }

    @Override
    public String toString() {
      return language + "-" + theme + "-" + width;
    }
  }

  /**
   * Each address in each language and theme, wide and narrow in turn; in all looks with {@code
   * -Dasyncflow.test.all-looks=true}. {@code -Dasyncflow.test.pages=/failures.*} leaves the others
   * out.
   */
  private Stream<Arguments> inEachLook(List<String> addresses) {
    return addresses.stream()
        .filter(address -> address.matches(PAGES))
        .flatMap(
            address ->
                (ALL_LOOKS ? Look.ALL : Look.PAIRWISE)
                    .stream()
                        .filter(look -> look.width() == width)
                        .map(look -> Arguments.of(address, look)));
  }

  /** The addresses in one of these looks each, in turn; in all looks as above. */
  private Stream<Arguments> inSomeLook(List<String> addresses) {
    return ALL_LOOKS
        ? inEachLook(addresses)
        : IntStream.range(0, addresses.size())
            .filter(i -> addresses.get(i).matches(PAGES))
            .filter(i -> Look.PAIRWISE.get(i % 4).width() == width)
            .mapToObj(i -> Arguments.of(addresses.get(i), Look.PAIRWISE.get(i % 4)));
  }

  Stream<Arguments> pages() {
    List<String> pages = new ArrayList<>(SamplePages.ALL);
    pages.remove("/nowhere");
    pages.add(SamplePages.KITCHEN);
    return inEachLook(pages);
  }

  @ParameterizedTest
  @MethodSource("pages")
  void pageIsAccessibleAndFitsItsWindow(String address, Look look) {
    open(address, look.preferences(), look.width(), true);
    lookAt(address, look);
  }

  Stream<Arguments> pagesThatCanBeEmpty() {
    return inSomeLook(
        List.of(
            "",
            "?wall",
            "/failures",
            "/types",
            "/tasks",
            "/jobs",
            "/jobs/" + SampleApi.JOB,
            "/workers",
            "/worker?id=gpu-2",
            "/schedules",
            "/schedules/" + SampleApi.SCHEDULE,
            "/bulk",
            "/audit"));
  }

  @ParameterizedTest
  @MethodSource("pagesThatCanBeEmpty")
  void emptyPageIsAccessibleAndFitsItsWindow(String address, Look look) {
    api.empty(true);
    open(address, look.preferences(), look.width(), true);
    lookAt("-empty" + address, look);
  }

  Stream<Arguments> refusals() {
    return inSomeLook(
        Stream.of(
                ErrorCode.VERB_MISSING,
                ErrorCode.NO_SUCH_JOB,
                ErrorCode.CHANGED_MEANWHILE,
                ErrorCode.LIMIT_EXCEEDED,
                ErrorCode.INTERNAL)
            .map(code -> "/jobs?" + code)
            .toList());
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void refusalIsAccessibleAndFitsItsWindow(String address, Look look) {
    ErrorCode code = ErrorCode.valueOf(address.substring("/jobs?".length()));
    api.refusing(code, "job " + SampleApi.JOB + ": " + "what the server says of it, ".repeat(8));
    open(address, look.preferences(), look.width(), true);
    lookAt("-refused" + address, look);

    assertThat(complaints)
        .isNotEmpty()
        .allMatch(complaint -> complaint.contains(String.valueOf(code.httpStatus())));
    complaints.clear();
  }

  Stream<Arguments> pagesForReaders() {
    return inSomeLook(
        List.of(
            "",
            "/types/tts",
            "/jobs/" + SampleApi.JOB,
            "/tasks/" + SampleApi.TASK,
            "/tasks?q=type:tts"));
  }

  @ParameterizedTest
  @MethodSource("pagesForReaders")
  void pageForAReaderIsAccessibleAndFitsItsWindow(String address, Look look) {
    api.withVerbs("TYPE_READ", "TASK_READ", "STATS_READ", "JOB_READ", "WORKER_READ");
    open(address, look.preferences(), look.width(), true);
    PlaywrightAssertions.assertThat(page.locator("details.act")).hasCount(0);
    lookAt("-reader" + address, look);
  }

  Stream<Arguments> previews() {
    return inEachLook(List.of("/bulk/new?q=type:tts%20status:failed&act=RETRY"));
  }

  @ParameterizedTest
  @MethodSource("previews")
  void previewOfABulkIsAccessibleAndFitsItsWindow(String address, Look look) {
    open(address, look.preferences(), look.width(), true);
    page.locator("main form.filter button").click();
    PlaywrightAssertions.assertThat(page.locator("main input[name=count]")).isVisible();
    lookAt("-bulk-preview", look);
  }

  Stream<Arguments> pagesOfForms() {
    return inEachLook(List.of("/tasks?q=type:tts%20status:failed", "/types/tts?tab=settings"));
  }

  @ParameterizedTest
  @MethodSource("pagesOfForms")
  void pageThatAFormHasAskedForIsAccessibleAndFitsItsWindow(String address, Look look) {
    open(address, look.preferences(), look.width(), true);
    if (address.startsWith("/types")) {
      page.locator("#s-max_executing").fill("32");
      page.locator("main form.settings button.primary").click();
      PlaywrightAssertions.assertThat(page.locator("table.diff")).isVisible();
      lookAt("-type-review", look);
      return;
    }
    page.locator("#rows input[name=task]").first().check();
    page.locator("#rows input[name=task]").last().check();
    page.locator("#list button[value=cancel]").click();
    PlaywrightAssertions.assertThat(page.locator("form.sure")).isVisible();
    lookAt("-selected", look);
    page.locator("form.sure button").click();
    PlaywrightAssertions.assertThat(page.locator("main .notice.ok")).isVisible();
    lookAt("-selected-done", look);
  }

  Stream<Arguments> goneTasks() {
    return inEachLook(List.of("/tasks/17_tts_task_9"));
  }

  @ParameterizedTest
  @MethodSource("goneTasks")
  void pageOfATaskThatIsGoneIsAccessibleAndFitsItsWindow(String address, Look look) {
    api.without("17_tts_task_9");
    open(address, look.preferences(), look.width(), true);
    PlaywrightAssertions.assertThat(page.locator("main .facts")).isVisible();
    lookAt("-gone" + address, look);

    assertThat(complaints).isNotEmpty().allMatch(complaint -> complaint.contains("404"));
    complaints.clear();
  }

  private static final String WHAT_SOME_CANNOT_USE =
      """
      axe.run({
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
        resultTypes: ['violations'],
        preload: false,
      }).then(found => found.violations.flatMap(violation => violation.nodes.map(
        node => violation.id + ' ' + node.target + ' ' + node.failureSummary)))
      """;

  /** Takes a picture of the page, and has it looked at for what some people could not use. */
  private void lookAt(String address, Look look) {
    String name = address.replaceAll("[^a-zA-Z0-9]+", "-") + "-" + look;
    page.screenshot(
        new Page.ScreenshotOptions().setPath(PICTURES.resolve(name + ".png")).setFullPage(true));

    assertThat(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
        .as("scrolls sideways")
        .isEqualTo(true);
    page.evaluate(axe);
    Object found = page.evaluate(WHAT_SOME_CANNOT_USE);
    assertThat((List<?>) found).isEmpty();
  }
}
