package io.asyncflow.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.Cookie;
import com.microsoft.playwright.options.ReducedMotion;
import io.asyncflow.console.SampleApi;
import io.asyncflow.console.SampleDoor;
import io.asyncflow.console.SampleServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A page in chromium. Whatever the browser complains of fails the test: violations of the policy,
 * messages of the console, failed requests.
 */
@Tag("browser")
abstract class BrowserTest {

  static final Path PICTURES = Path.of("target/screenshots");
  static final String PAGES = System.getProperty("asyncflow.test.pages", ".*");
  private static final double PATIENCE_MS = 30_000;
  static final int WIDE = 1440;
  static final int NARROW = 360;

  private static ConfigurableApplicationContext server;
  private static Playwright playwright;
  private static Browser browser;

  /** Windows of one width share what the browser keeps of files, and the tests their time. */
  private static final Map<List<?>, BrowserContext> CONTEXTS = new HashMap<>();

  final List<String> complaints = new ArrayList<>();
  Page page;
  SampleApi api;
  SampleDoor door;

  @BeforeAll
  static void start() {
    server = SampleServer.start("--server.port=0", "--asyncflow.console.kitchen=true");
    Map<String, String> environment = new HashMap<>();
    environment.put("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    if (BrowserTest.class.getResource("/driver/linux/node") == null) { // not with -Pbundled-node
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
  }

  @AfterAll
  static void stop() {
    CONTEXTS.clear();
    browser.close();
    playwright.close();
    server.close();
  }

  @BeforeEach
  void reset() {
    complaints.clear();
    api = server.getBean(SampleApi.class);
    door = server.getBean(SampleDoor.class);
    door.shut(false);
    api.withStranger("ada").withTaskStatus(2).calm(false).withLoad(1).empty(false).answering();
    api.without();
    api.withVerbs(SampleApi.ALL_VERBS);
  }

  @AfterEach
  void nothingWasComplainedOf() {
    page.close();
    assertThat(complaints).isEmpty();
  }

  static String base() {
    return "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
  }

  void open(String address, String preferences, int width, boolean withScript) {
    open(address, preferences, width, withScript, 0);
  }

  /**
   * @param time which the page believes it to be, epoch ms; 0 for the clock
   */
  void open(String address, String preferences, int width, boolean withScript, long time) {
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
}
