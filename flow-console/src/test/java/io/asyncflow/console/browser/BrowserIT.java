package io.asyncflow.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.Cookie;
import com.microsoft.playwright.options.LoadState;
import com.microsoft.playwright.options.ReducedMotion;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.console.Payloads;
import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SamplePages;
import io.asyncflow.console.SampleServer;
import io.asyncflow.console.text.Strange;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The pages in chromium. Whatever the browser complains of fails a test: violations of the policy,
 * messages of the console, failed requests. Pictures of all pages lie in {@code target/screenshots}
 * afterwards, to be looked at.
 */
@Tag("browser")
class BrowserIT {

  private static final Path PICTURES = Path.of("target/screenshots");
  private static final String PAGES = System.getProperty("asyncflow.test.pages", ".*");
  private static final boolean ALL_LOOKS = Boolean.getBoolean("asyncflow.test.all-looks");
  private static final double PATIENCE_MS = 30_000;
  private static final int PICTURE = 1280;
  private static final int WIDE = 1440;
  private static final int NARROW = 360;

  private static ConfigurableApplicationContext server;
  private static Playwright playwright;
  private static Browser browser;
  private static String axe;

  /** Windows of one width share what the browser keeps of files, and the tests their time. */
  private static final Map<List<?>, BrowserContext> CONTEXTS = new HashMap<>();

  private final List<String> complaints = new ArrayList<>();
  private Page page;
  private SampleApi api;
  private long time;

  @BeforeAll
  static void start() throws IOException {
    server = SampleServer.start("--server.port=0", "--asyncflow.console.kitchen=true");
    Map<String, String> environment = new HashMap<>();
    environment.put("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    if (BrowserIT.class.getResource("/driver/linux/node") == null) { // not with -Pbundled-node
      environment.put("PLAYWRIGHT_NODEJS_PATH", "/usr/bin/node");
    }
    playwright = Playwright.create(new Playwright.CreateOptions().setEnv(environment));
    browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(Path.of("/usr/bin/chromium"))
                    .setArgs(List.of("--no-sandbox")));
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MS);
    try (InputStream in = BrowserIT.class.getResourceAsStream("/axe.min.js")) {
      axe = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @AfterAll
  static void stop() {
    browser.close();
    playwright.close();
    server.close();
  }

  @BeforeEach
  void reset() {
    api = server.getBean(SampleApi.class);
    api.withStranger("ada").withTaskStatus(2).calm(false).withLoad(1).empty(false).answering();
    api.withVerbs(SampleApi.ALL_VERBS);
  }

  @AfterEach
  void nothingWasComplainedOf() {
    page.close();
    assertThat(complaints).isEmpty();
  }

  private static String base() {
    return "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
  }

  private void open(String address, String preferences, int width, boolean withScript) {
    BrowserContext context =
        CONTEXTS.computeIfAbsent(
            List.of(width, withScript, time),
            key ->
                browser.newContext(
                    new Browser.NewContextOptions()
                        .setViewportSize(width, 900)
                        .setReducedMotion(ReducedMotion.REDUCE)
                        .setTimezoneId("Europe/Berlin")
                        .setJavaScriptEnabled(withScript)));
    context.clearCookies();
    context.addCookies(List.of(new Cookie("asyncflow_console", preferences).setUrl(base())));
    page = context.newPage();
    if (time > 0) {
      page.clock().setFixedTime(time);
    }
    page.onConsoleMessage(message -> complaints.add(message.text()));
    page.onPageError(complaints::add);
    page.onDialog(
        dialog -> {
          complaints.add("a dialog: " + dialog.message());
          dialog.dismiss();
        });
    page.onRequestFailed(
        request -> {
          if (!"net::ERR_ABORTED".equals(request.failure())) { // a look for news, when it is left
            complaints.add(request.url() + " " + request.failure());
          }
        });
    page.onResponse(
        response -> {
          if (response.status() >= 400 && !response.url().contains("/nowhere")) {
            complaints.add(response.url() + " " + response.status());
          }
        });
    page.navigate(base() + "/console" + address);
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
  private static Stream<Arguments> inEachLook(List<String> addresses) {
    return addresses.stream()
        .filter(address -> address.matches(PAGES))
        .flatMap(
            address ->
                (ALL_LOOKS ? Look.ALL : Look.PAIRWISE)
                    .stream().map(look -> Arguments.of(address, look)));
  }

  /** The addresses in one of these looks each, in turn; in all looks as above. */
  private static Stream<Arguments> inSomeLook(List<String> addresses) {
    return ALL_LOOKS
        ? inEachLook(addresses)
        : IntStream.range(0, addresses.size())
            .filter(i -> addresses.get(i).matches(PAGES))
            .mapToObj(i -> Arguments.of(addresses.get(i), Look.PAIRWISE.get(i % 4)));
  }

  static Stream<Arguments> pages() {
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

  static Stream<Arguments> pagesThatCanBeEmpty() {
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

  static Stream<Arguments> refusals() {
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

  static Stream<Arguments> pagesForReaders() {
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

  static Stream<Arguments> previews() {
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

  static Stream<Arguments> picturesOfTheDocs() {
    List<Arguments> pictures = new ArrayList<>();
    for (String language : List.of("en", "zh")) {
      for (String theme : List.of("light", "dark")) {
        pictures.add(Arguments.of("overview", "", language, theme));
        pictures.add(Arguments.of("history", "/types/tts?tab=history&range=6h", language, theme));
        pictures.add(Arguments.of("task", "/tasks/" + SampleApi.TASK, language, theme));
      }
    }
    return pictures.stream();
  }

  /**
   * What the documents show: copies of these pictures lie in {@code docs/images}. Of a task, that
   * is what a window shows.
   */
  @ParameterizedTest
  @MethodSource("picturesOfTheDocs")
  void pictureOfTheDocsIsTaken(String name, String address, String language, String theme) {
    api.calm(true).withTaskStatus(1);
    time = SampleApi.NOW + 2_000;
    open(address, "lang=" + language + "&theme=" + theme + "&zone=UTC&refresh=10", PICTURE, true);

    Path picture = PICTURES.resolve("docs/console-" + name + "-" + language + "-" + theme + ".png");
    page.screenshot(
        new Page.ScreenshotOptions().setPath(picture).setFullPage(!name.equals("task")));
    assertThat(picture).isNotEmptyFile();
  }

  @Test
  void chartTellsTheValuesBelowThePointer() {
    open("/types/tts?tab=history", "lang=en&zone=UTC", WIDE, true);
    Locator chart = page.locator("[data-key=flow] svg");
    chart.hover();

    String row = page.locator("[data-key=flow] tbody tr >> nth=30").textContent();
    PlaywrightAssertions.assertThat(page.locator("[data-key=flow] .said"))
        .containsText(row.substring(0, row.indexOf(':') + 3).strip());
    page.mouse().move(1, 1);
    PlaywrightAssertions.assertThat(page.locator(".cross")).hasCount(0);
  }

  @Test
  void foldedTableOfAChartStaysOpenWhenNewsArrive() {
    open("/types/tts?tab=history", "lang=en&refresh=2", WIDE, true);
    page.locator("[data-key=flow] summary").click();
    page.locator("h1").click();
    api.withLoad(3);

    PlaywrightAssertions.assertThat(page.locator("[data-key=flow] figcaption p"))
        .containsText("285,");
    PlaywrightAssertions.assertThat(page.locator("[data-key=flow] details"))
        .hasAttribute("open", "");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/failures",
        "/types/tts?tab=history",
        "/tasks?q=type:tts",
        "/jobs/" + SampleApi.JOB
      })
  void firstViewTakesFewRequestsAndNothingMoves(String address) {
    open("/help", "lang=en&times=relative&refresh=0", WIDE, true);
    AtomicInteger requests = new AtomicInteger();
    page.onRequest(request -> requests.incrementAndGet());
    page.navigate(base() + "/console" + address);
    page.waitForLoadState(LoadState.NETWORKIDLE);

    assertThat(requests.get()).isLessThanOrEqualTo(13);
    assertThat(
            page.evaluate(
                "() => new Promise(done => new PerformanceObserver(list => done("
                    + "list.getEntries().reduce((sum, e) => sum + e.value, 0)))"
                    + ".observe({type: 'layout-shift', buffered: true})"
                    + " || setTimeout(() => done(0), 1000))"))
        .as("layout shift")
        .isEqualTo(0);
  }

  @Test
  void pageThatNobodySeesAsksForNothing() {
    open("", "lang=en&refresh=2", WIDE, true);
    page.waitForRequest(base() + "/console", () -> {});
    AtomicInteger looks = new AtomicInteger();
    page.onRequest(request -> looks.incrementAndGet());
    page.evaluate(
        "Object.defineProperty(document, 'hidden', {get: () => true, configurable: true})");
    looks.set(0);
    page.waitForTimeout(5_000);
    assertThat(looks.get()).isZero();

    page.evaluate("delete document.hidden");
    page.waitForRequest(base() + "/console", () -> {});
  }

  @Test
  void overviewTurnsStaleAndFreshAgain() {
    open("", "lang=en&refresh=2", WIDE, true);
    PlaywrightAssertions.assertThat(page.locator("#stale .notice")).hasCount(0);

    api.refusing(ErrorCode.UNAVAILABLE, "the database is down");
    PlaywrightAssertions.assertThat(page.locator("#stale .notice")).isVisible();
    page.screenshot(new Page.ScreenshotOptions().setPath(PICTURES.resolve("stale.png")));

    api.answering();
    PlaywrightAssertions.assertThat(page.locator("#stale .notice")).hasCount(0);
  }

  @Test
  void typeIsPausedOnTheOverview() {
    open("", "lang=en", WIDE, true);
    page.locator("#act-type_pause-tts > summary").click();
    PlaywrightAssertions.assertThat(page.locator("dialog input[name=reason]")).isFocused();
    page.keyboard().type("from the overview");
    page.keyboard().press("Enter");

    PlaywrightAssertions.assertThat(page.locator(".notice.ok")).hasText("The type is paused.");
    PlaywrightAssertions.assertThat(page.locator("h1")).hasText("Overview");
    assertThat(api.acts()).anyMatch(act -> "from the overview".equals(act.fields().get("reason")));
  }

  static Stream<Arguments> hostilePages() {
    return SamplePages.ALL.stream()
        .filter(page -> !page.equals("/nowhere") && page.matches(PAGES))
        .map(Arguments::of);
  }

  /**
   * In each field that a stranger fills another one of forty texts, again and again, so that the
   * page meets them all. Without a browser, each page meets each text in all fields at once.
   */
  @ParameterizedTest
  @MethodSource("hostilePages")
  void textsOfStrangersRunNothingAndBreakNothing(String address) {
    List<String> payloads = Payloads.all();
    api.withStranger(payloads.toArray(String[]::new));
    open(address, "lang=en&refresh=0", NARROW, true);
    for (int status : new int[] {1, 8, 2}) {
      api.withTaskStatus(status);
      page.navigate(base() + "/console" + address);
      assertNothingRanAndAllFits();
    }
  }

  @Test
  void textsOfStrangersRunNothingWhereAFormIsAnswered() {
    api.withStranger(Payloads.all().toArray(String[]::new)).withTaskStatus(8);
    open("/bulk/new?q=type:tts&act=RETRY", "lang=en&refresh=0", NARROW, true);
    page.locator("main form.filter button").click();
    PlaywrightAssertions.assertThat(page.locator("main input[name=count]")).isVisible();
    assertNothingRanAndAllFits();

    page.navigate(base() + "/console/tasks?q=type:tts");
    page.locator("#pick-all input").check();
    page.locator("button[value=cancel]").click();
    page.waitForURL("**/tasks/selected");
    assertNothingRanAndAllFits();
    page.locator("button.grave").click();
    PlaywrightAssertions.assertThat(page.locator("h1")).hasText("Cancellation of selected tasks");
    assertNothingRanAndAllFits();
  }

  private void assertNothingRanAndAllFits() {
    page.evaluate(
        "document.querySelectorAll('details:not(.act)').forEach(e => e.open = true);"
            + "document.querySelectorAll('main a, main td, main bdi, main input')"
            + ".forEach(e => e.dispatchEvent(new MouseEvent('mouseover', {bubbles: true})))");
    assertThat(page.evaluate("window.pwned === undefined")).isEqualTo(true);
    assertThat(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
        .as("fits")
        .isEqualTo(true);
  }

  static Stream<String> payloads() {
    return Payloads.all().stream();
  }

  @ParameterizedTest
  @MethodSource("payloads")
  void textOfAStrangerIsSeenAsItIs(String payload) {
    api.withStranger(payload);
    open("/tasks/" + SampleApi.TASK, "lang=en&refresh=0", NARROW, true);

    assertThat(page.evaluate(SHOWN)).isEqualTo(shown(payload));
    assertNothingRanAndAllFits();
  }

  /** The user of the task, as a reader sees it. */
  private static final String SHOWN =
      "document.querySelector('#facts > div:nth-child(3) dd').textContent.trim()";

  private static String shown(String text) {
    StringBuilder seen = new StringBuilder();
    Strange.of(text)
        .parts()
        .forEach(part -> seen.append(part.isMark() ? "⟨" + part.text() + "⟩" : part.text()));
    return seen.toString();
  }

  @Test
  void policyIsInForce() {
    open("/types", "lang=en", WIDE, true);

    assertThat(
            page.evaluate(
                "() => { try { document.body.innerHTML = '<b>x</b>'; return 'set'; }"
                    + " catch (e) { return e.name; } }"))
        .isEqualTo("TypeError");
    complaints.clear(); // the browser said so
  }

  @Test
  void newsArriveInPlaceAndTheFocusStays() {
    open("/tasks/" + SampleApi.TASK, "lang=en&refresh=2", WIDE, true);
    Locator state = page.locator("#state .st");
    PlaywrightAssertions.assertThat(state).hasText("Executing");
    page.locator("#find").fill("24983");

    api.withTaskStatus(8);

    PlaywrightAssertions.assertThat(state).hasText("Failed");
    PlaywrightAssertions.assertThat(page.locator("#find")).isFocused();
    PlaywrightAssertions.assertThat(page.locator("#find")).hasValue("24983");
  }

  @Test
  void newsArePausedByAClickAndCanBeCopied() {
    open("/tasks/" + SampleApi.TASK, "lang=en&refresh=2", WIDE, true);
    page.locator("#live").click();
    PlaywrightAssertions.assertThat(page.locator("#live")).hasText("paused");
    page.locator("#live").click();
    PlaywrightAssertions.assertThat(page.locator("#live")).hasText("live");

    api.withTaskStatus(8);
    PlaywrightAssertions.assertThat(page.locator("#past tbody tr:last-child"))
        .containsText("Failed");
    page.locator("#past .copy >> nth=0").click();
    PlaywrightAssertions.assertThat(page.locator("#past .copy.done")).hasCount(1);
  }

  @Test
  void pageThatGotNoTurnAsksUntilItIsShown() {
    api.refusing(ErrorCode.LIMIT_EXCEEDED, "all are busy");
    open("/jobs", "lang=en", WIDE, true);
    PlaywrightAssertions.assertThat(page.locator("h1")).hasText("Not now");

    api.answering();
    PlaywrightAssertions.assertThat(page.locator("h1")).hasText("Jobs");
    complaints.removeIf(complaint -> complaint.contains("429"));
  }

  @Test
  void newsOfWhatWasInUseArriveAfterwards() {
    open("/tasks/" + SampleApi.TASK, "lang=en&refresh=2", WIDE, true);
    page.locator("#facts").evaluate("e => getSelection().selectAllChildren(e)");
    api.withTaskStatus(8);
    PlaywrightAssertions.assertThat(page.locator("#state .st")).hasText("Failed");
    PlaywrightAssertions.assertThat(page.locator("#facts meter")).hasCount(1);

    page.evaluate("getSelection().removeAllRanges()");

    PlaywrightAssertions.assertThat(page.locator("#facts meter")).hasCount(0);
  }

  @Test
  void actIsConfirmedInADialogByTheKeyboardAlone() {
    open("/tasks/" + SampleApi.TASK, "lang=en", WIDE, true);
    page.locator("#act-task_cancel > summary").focus();
    page.keyboard().press("Enter");
    PlaywrightAssertions.assertThat(page.locator("dialog input[name=reason]")).isFocused();
    page.screenshot(new Page.ScreenshotOptions().setPath(PICTURES.resolve("dialog.png")));

    page.keyboard().press("Escape");
    PlaywrightAssertions.assertThat(page.locator("dialog")).hasCount(0);
    PlaywrightAssertions.assertThat(page.locator("#act-task_cancel > summary")).isFocused();

    page.keyboard().press("Enter");
    page.keyboard().type("by the keyboard");
    page.keyboard().press("Enter");
    PlaywrightAssertions.assertThat(page.locator(".notice.ok")).hasText("The task was cancelled.");
    assertThat(api.acts()).anyMatch(act -> "by the keyboard".equals(act.fields().get("reason")));
  }

  @Test
  void bulkStartsOnceTheCountThatWasShownIsTyped() {
    open("/bulk/new?q=type:tts&act=RETRY", "lang=en", WIDE, false);
    page.locator("main form.filter button").click();
    page.locator("main input[name=reason]").fill("tape is back");
    page.locator("main input[name=count]").fill("11999");
    page.locator("main button.grave").click();
    assertThat(api.acts()).noneMatch(act -> act.path().equals("/api/bulk/start"));

    page.locator("main input[name=count]").fill("12000");
    page.locator("main button.grave").click();

    PlaywrightAssertions.assertThat(page.locator(".notice.ok")).hasText("The bulk has started.");
    assertThat(page.url()).endsWith("/console/bulk/" + SampleApi.BULK);
    assertThat(api.acts()).anyMatch(act -> "12000".equals(act.fields().get("count")));
  }

  @Test
  void keysLeadFromPageToPageAndThroughRows() {
    open("/types", "lang=en", WIDE, true);
    page.keyboard().press("j");
    page.keyboard().press("j");
    PlaywrightAssertions.assertThat(page.locator("tr.here")).hasAttribute("data-key", "Render");
    page.keyboard().press("Enter");
    page.waitForURL("**/types/render");
    page.keyboard().press("g");
    page.keyboard().press("w");
    page.waitForURL("**/workers");
    page.keyboard().press("Control+k");
    page.keyboard().type("aud");
    page.screenshot(new Page.ScreenshotOptions().setPath(PICTURES.resolve("palette.png")));
    page.keyboard().press("Enter");
    page.waitForURL("**/audit");
  }

  @Test
  void rowsAreSelectedByKeysAndStaySelectedWhenNewsCome() {
    open("/tasks?q=type:tts%20status:failed", "lang=en&refresh=2", WIDE, true);
    PlaywrightAssertions.assertThat(page.locator("button[value=retry]")).isDisabled();
    page.keyboard().press("j");
    page.keyboard().press("x");
    page.keyboard().press("j");
    page.keyboard().press("j");
    page.keyboard().press("Shift+X");
    PlaywrightAssertions.assertThat(page.locator("[data-picked]")).hasText("3 selected");
    page.screenshot(new Page.ScreenshotOptions().setPath(PICTURES.resolve("selected-rows.png")));

    page.keyboard().press("/");
    PlaywrightAssertions.assertThat(page.locator("#q")).isFocused();
    page.keyboard().press("Escape");
    page.locator("tbody tr:nth-child(2) th a").focus();
    page.keyboard().press("c");
    page.waitForURL("**/tasks/selected");
    PlaywrightAssertions.assertThat(page.locator("h1")).hasText("Cancel 3 tasks");
    page.screenshot(new Page.ScreenshotOptions().setPath(PICTURES.resolve("selected-sure.png")));
    page.locator("button.grave").focus();
    page.keyboard().press("Enter");
    PlaywrightAssertions.assertThat(page.locator(".notice.ok")).hasText("3 tasks: done");
    assertThat(api.acts())
        .filteredOn(act -> act.path().equals("/api/task/cancel"))
        .filteredOn(act -> act.fields().containsKey("expectedEpoch"))
        .hasSizeGreaterThanOrEqualTo(3);
  }

  @Test
  void mapIsWalkedByArrowsAndOpensAChild() {
    open("/jobs/" + SampleApi.JOB, "lang=en", WIDE, true);
    Locator cell = page.getByRole(AriaRole.GRIDCELL);
    page.locator("div.map").focus();
    page.keyboard().press("ArrowDown");
    page.keyboard().press("ArrowRight");
    PlaywrightAssertions.assertThat(cell).hasText("Child 101: Success");
    PlaywrightAssertions.assertThat(cell).hasAttribute("aria-colindex", "2");
    page.keyboard().press("End");
    PlaywrightAssertions.assertThat(cell).hasText("Child 1999: No task yet");
    page.keyboard().press("Home");
    page.keyboard().press("ArrowRight");
    page.keyboard().press("Enter");
    page.waitForURL("**/tasks/" + SampleApi.TASK);
  }

  @Test
  void soundIsPlayedAndNothingElse() {
    open("/tasks/" + SampleApi.TASK, "lang=en", WIDE, true);
    page.evaluate("document.querySelector('audio').play().then(() => window.played = true)");

    PlaywrightAssertions.assertThat(page.locator("audio")).hasCount(1);
    assertThat(page.evaluate("document.querySelector('audio').duration")).isEqualTo(0.2);
  }

  /** Finds a failed task, reads why, retries it, goes to its job, and cancels that. */
  @Test
  void operatorNeedsNoPointer() {
    api.withTaskStatus(8);
    open("/types", "lang=en", WIDE, true);
    page.keyboard().press("g");
    page.keyboard().press("t");
    page.waitForURL("**/tasks");
    page.keyboard().press("/");
    page.keyboard().type("type:tts status:failed");
    page.keyboard().press("Enter");
    page.waitForURL("**/tasks?q=*");
    page.keyboard().press("j");
    page.keyboard().press("Enter");
    page.waitForURL("**/tasks/2*");

    page.keyboard().press("w");
    PlaywrightAssertions.assertThat(page.locator("#why")).isFocused();
    PlaywrightAssertions.assertThat(page.locator("#why")).containsText("It has failed after 4");
    page.keyboard().press("r");
    PlaywrightAssertions.assertThat(page.locator("dialog input[name=reason]")).isFocused();
    page.keyboard().type("the tape is back");
    page.keyboard().press("Enter");
    PlaywrightAssertions.assertThat(page.locator(".notice.ok")).hasText("The task waits again.");

    tabTo(".crumb a[href*='/jobs/']");
    page.keyboard().press("Enter");
    page.waitForURL("**/jobs/" + SampleApi.JOB);
    page.keyboard().press("c");
    PlaywrightAssertions.assertThat(page.locator("dialog input[name=reason]")).isFocused();
    page.keyboard().type("not needed");
    page.keyboard().press("Enter");
    PlaywrightAssertions.assertThat(page.locator(".notice.ok"))
        .hasText("The rest of the job is being cancelled.");

    assertThat(api.acts())
        .extracting(SampleApi.Called::path)
        .contains("/api/task/retry", "/api/job/cancel");
  }

  /** Goes from one thing to the next by the tabulator, until it is there. */
  private void tabTo(String selector) {
    for (int i = 0; i < 60; i++) {
      page.keyboard().press("Tab");
      if (Boolean.TRUE.equals(
          page.evaluate("selector => document.activeElement.matches(selector)", selector))) {
        return;
      }
    }
    throw new AssertionError("the tabulator does not come to " + selector);
  }

  @Test
  void pageWithoutScriptsReadsFiltersAndActs() {
    open("/workers", "lang=en", WIDE, false);
    page.locator("input[name=stage]").fill("split");
    page.locator("main form.filter button").click();
    assertThat(page.url()).contains("stage=split");

    page.navigate(base() + "/console/tasks/" + SampleApi.TASK);
    page.locator("#act-task_cancel > summary").click();
    page.locator("#act-task_cancel input[name=reason]").fill("without a script");
    page.locator("#act-task_cancel form button").click();
    PlaywrightAssertions.assertThat(page.locator(".notice.ok")).isVisible();
    assertThat(api.acts()).anyMatch(act -> "without a script".equals(act.fields().get("reason")));
  }
}
