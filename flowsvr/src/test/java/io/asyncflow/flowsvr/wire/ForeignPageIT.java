package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.sun.net.httpserver.HttpServer;
import io.asyncflow.flowsvr.edge.access.KeysServers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/**
 * What {@link CrossSiteIT} sends, from pages of another site and of another port in chromium, to a
 * server without a key and to one at which the browser's user has logged in. The record of Tomcat
 * shows what the browser really sent.
 */
@Tag("browser")
@Timeout(120)
class ForeignPageIT {

  private static final String SAVE = "/api/task_schedule_cfg/save";
  private static final String HOLD = "/api/task/hold_task";
  private static final String ME = "/api/key/me";
  private static final String PAGE = "/console/types";
  private static final String LOG_IN = "/console/login";
  private static final String LOG_OUT = "/console/logout";
  private static final String LINKED = "/console/jobs";

  /** Everything that needs no click, one after the other. */
  private static final String IN_THE_BACKGROUND =
      """
      async server => {
        const send = (path, options) =>
          fetch(server + path, {credentials: 'include', ...options}).then(a => a.text()).catch(() => '');
        const load = (name, path) => new Promise(done => {
          const element = document.createElement(name);
          element.onload = element.onerror = done;
          element.src = server + path;
          document.body.append(element);
        });
        const json = JSON.stringify({task_type: 'forged'});
        for (const body of [json, new Blob([json]), new URLSearchParams({task_type: 'forged'})]) {
          await send('/api/task_schedule_cfg/save', {method: 'POST', mode: 'no-cors', body});
        }
        const typed = {'Content-Type': 'application/json'};
        await send('/api/task_schedule_cfg/save', {method: 'POST', headers: typed, body: json});
        await load('img', '/api/task/hold_task?taskType=seen&workerId=w');
        await load('script', '/api/key/me');
        await load('iframe', '/console/types');
        return await send('/api/key/me', {});
      }
      """;

  private static final String BY_A_FORM =
      """
      to => {
        const form = document.createElement('form');
        form.method = 'post';
        form.action = to;
        for (const name of ['task_type', 'key']) {
          const field = document.createElement('input');
          field.name = name;
          field.value = 'forged';
          form.append(field);
        }
        document.body.append(form);
        form.submit();
      }
      """;

  private static final String BY_A_LINK =
      """
      to => {
        const link = document.createElement('a');
        link.href = to;
        document.body.append(link);
        link.click();
      }
      """;

  private static final String IN_ITS_OWN_NAME =
      """
      async () => {
        const me = await (await fetch('/api/key/me')).json();
        const headers = {'Content-Type': 'application/json', 'X-XSRF-TOKEN': me.result?.csrfToken};
        const body = JSON.stringify({task_type: 'own'});
        return (await fetch('/api/task_schedule_cfg/save', {method: 'POST', headers, body})).status;
      }
      """;

  @TempDir static Path directory;

  private static final Map<String, Target> TARGETS = new HashMap<>();
  private static HttpServer evil;
  private static Playwright playwright;
  private static Browser browser;

  private Page page;

  /** A request, as Tomcat saw it. */
  private record Line(String method, String path, int status, String site, String cookie) {

    static Line parse(String line) {
      String[] parts = line.split(" ", 5);
      return new Line(parts[0], parts[1], Integer.parseInt(parts[2]), parts[3], parts[4]);
    }

    boolean isRefused() {
      return status == 401 || status == 403;
    }

    boolean hasSession() {
      return cookie.startsWith("asyncflow=");
    }

    boolean isForeign() {
      return site.equals("cross-site") || site.equals("same-site");
    }
  }

  /** A server that pages attack, with a type and a task that waits. */
  private static final class Target implements AutoCloseable {

    private final String mode;
    private final KeysServers servers;
    private final Path record;
    private final Wire wire;
    private final String base;
    private final String task;
    private int read;

    Target(String mode, String... settings) {
      this.mode = mode;
      this.servers = new KeysServers("foreign_" + mode);
      this.record = directory.resolve(mode + ".log");
      List<String> all = new ArrayList<>(List.of(settings));
      all.addAll(
          List.of(
              "--flow.access.mode=" + mode,
              "--server.tomcat.accesslog.enabled=true",
              "--server.tomcat.accesslog.directory=" + directory,
              "--server.tomcat.accesslog.prefix=" + mode,
              "--server.tomcat.accesslog.rotate=false",
              "--server.tomcat.accesslog.buffered=false",
              "--server.tomcat.accesslog.pattern=%m %U %s %{Sec-Fetch-Site}i %{Cookie}i"));
      var server = servers.start(all.toArray(String[]::new));
      this.wire = KeysServers.wireTo(server);
      this.base = "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
      call(SAVE, "{'task_type':'seen'}");
      this.task =
          call(
                  "/api/task/createTask",
                  "{'taskData':{'userId':'u','taskType':'seen','taskStage':'s'}}")
              .path("taskId")
              .asString();
    }

    /** By a tool. */
    JsonNode call(String path, String json) {
      Wire.Answer answer =
          wire.send(
              wire.request(path)
                  .header("Authorization", "Bearer " + KeysServers.ENVIRONMENT_KEY)
                  .header("Content-Type", "application/json")
                  .POST(BodyPublishers.ofString(json.replace('\'', '"'))));
      assertThat(answer.status()).as(answer.http().body()).isEqualTo(200);
      return answer.result();
    }

    /** The browser has a session from then on, if the server has any. */
    void logIn(Page page) {
      page.navigate(base + PAGE);
      if (mode.equals("keys")) {
        page.locator("input[name=key]").fill(KeysServers.ENVIRONMENT_KEY);
        page.locator("form.login button").click();
        page.waitForURL("**" + PAGE);
      }
    }

    /** The requests of pages elsewhere since the last look, up to the one for this path. */
    List<Line> foreign(String last) {
      List<Line> lines =
          await()
              .until(this::unread, all -> all.stream().anyMatch(line -> line.path().equals(last)));
      read += lines.size();
      return lines.stream().filter(Line::isForeign).toList();
    }

    private List<Line> unread() throws IOException {
      return Files.readAllLines(record).stream().skip(read).map(Line::parse).toList();
    }

    @Override
    public void close() {
      servers.close();
    }
  }

  @BeforeAll
  static void start() throws IOException {
    TARGETS.put("keys", new Target("keys"));
    TARGETS.put("local", new Target("local", "--flow.access.api-key=", "--flow.access.pepper="));
    evil = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    evil.createContext(
        "/",
        exchange -> {
          byte[] body = "<!DOCTYPE html><title>evil</title>".getBytes(StandardCharsets.US_ASCII);
          exchange.getResponseHeaders().add("Content-Type", "text/html");
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    evil.start();
    Map<String, String> environment = new HashMap<>();
    environment.put("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    if (ForeignPageIT.class.getResource("/driver/linux/node") == null) { // not with -Pbundled-node
      environment.put("PLAYWRIGHT_NODEJS_PATH", "/usr/bin/node");
    }
    playwright = Playwright.create(new Playwright.CreateOptions().setEnv(environment));
    browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(Path.of("/usr/bin/chromium"))
                    .setArgs(
                        List.of("--no-sandbox", "--host-resolver-rules=MAP *.example 127.0.0.1")));
  }

  @AfterAll
  static void stop() {
    browser.close();
    playwright.close();
    evil.stop(0);
    TARGETS.values().forEach(Target::close);
  }

  @BeforeEach
  void open() {
    page = browser.newPage();
  }

  @AfterEach
  void close() {
    page.context().close();
  }

  /**
   * @param answered the pages that are answered: the one that a link opens, and those that a
   *     browser asks for without its cookie and does not show in a frame
   * @param withCookie how many requests have a session, all but preflights on a site's other port
   */
  @ParameterizedTest
  @CsvSource({
    "keys, evil.example, /console/types /console/login /console/jobs, 2",
    "keys, localhost, /console/jobs, 12",
    "local, evil.example, '', 0",
    "local, localhost, '', 0"
  })
  void pageElsewhereChangesTakesAndReadsNothing(
      String mode, String host, String answered, int withCookie) {
    Target target = TARGETS.get(mode);
    target.logIn(page);
    page.navigate("http://" + host + ":" + evil.getAddress().getPort());

    Object read = page.evaluate(IN_THE_BACKGROUND, target.base);
    for (String path : List.of(LOG_IN, LOG_OUT, SAVE)) {
      goTo(target.base + path, BY_A_FORM);
    }
    goTo(target.base + HOLD + "?taskType=seen&workerId=w", BY_A_LINK);
    goTo(target.base + LINKED, BY_A_LINK);

    assertThat(read).isEqualTo("");
    List<Line> sent = target.foreign(LINKED);
    assertThat(sent)
        .filteredOn(line -> line.path().equals(SAVE))
        .extracting(Line::method)
        .containsExactly("POST", "POST", "POST", "OPTIONS", "POST");
    assertThat(sent).extracting(Line::path).contains(HOLD, ME, PAGE, LOG_IN, LOG_OUT, LINKED);
    assertThat(sent)
        .filteredOn(line -> !line.isRefused())
        .extracting(Line::path)
        .isEqualTo(answered.isEmpty() ? List.of() : List.of(answered.split(" ")));
    assertThat(sent).filteredOn(Line::hasSession).hasSize(withCookie);
    assertNothingChanged(target);
    assertThat(page.navigate(target.base + PAGE).url()).endsWith(PAGE);
    assertThat(page.evaluate(IN_ITS_OWN_NAME)).as("from its own page").isEqualTo(200);
  }

  @Test
  void nameThatPointsHereIsNotThisServer() {
    Target target = TARGETS.get("local");
    page.context().close();
    // A page that has this name from before has the policy of its own server.
    page = browser.newPage(new Browser.NewPageOptions().setBypassCSP(true));
    String rebound = target.base.replace("localhost", "rebind.example");
    assertThat(page.navigate(rebound + PAGE).status()).isEqualTo(421);
    assertThat(page.evaluate(IN_ITS_OWN_NAME)).isEqualTo(421);
    assertNothingChanged(target);
  }

  private void assertNothingChanged(Target target) {
    JsonNode task =
        target.call("/api/task/getTask", "{'taskId':'" + target.task + "'}").path("taskData");
    assertThat(task.path("status").asInt()).isEqualTo(1);
    assertThat(task.path("leaseEpoch").asInt()).isZero();
    assertThat(target.call("/api/task_schedule_cfg/list", "{}").toString())
        .contains("\"seen\"")
        .doesNotContain("forged");
  }

  /** Leaves the page for an address, and comes back. */
  private void goTo(String address, String script) {
    page.waitForResponse(
            response -> response.url().equals(address), () -> page.evaluate(script, address))
        .finished();
    page.waitForLoadState();
    page.goBack();
  }
}
