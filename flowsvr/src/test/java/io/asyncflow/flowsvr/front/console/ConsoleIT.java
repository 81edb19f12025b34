package io.asyncflow.flowsvr.front.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.StoreContent;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.Task;
import io.asyncflow.console.OpenToAll;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.KeyedServer;
import io.asyncflow.flowsvr.base.system.concurrent.RequestRate;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.Scope;
import io.asyncflow.flowsvr.edge.access.TestCallers;
import io.asyncflow.flowsvr.edge.web.budget.Exchange;
import io.asyncflow.rules.TaskType;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.filter.ForwardedHeaderFilter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The console's pages on a server that asks for keys, in the name of callers of each role. */
@KeyedServer
class ConsoleIT {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String TYPE = "console_it";

  /** Of an answer that says that there is nothing new, as one is sent to each open page. */
  private static final int ANSWER_BYTES = 500;

  /** Without a key, before an address is turned away. */
  private static final int TRIES_A_MINUTE = 30;

  @LocalServerPort int port;
  @Autowired Given given;
  @Autowired JdbcClient sql;
  @Autowired WebApplicationContext context;

  @Autowired
  @Qualifier("springSecurityFilterChain")
  Filter securityFilters;

  @Autowired
  @Qualifier("requestMappingHandlerMapping")
  RequestMappingHandlerMapping controllers;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private String taskId;
  private String jobId;
  private String scheduleId;

  @BeforeEach
  void thingsToLookAt() throws Exception {
    api("task_schedule_cfg/save", Map.of("task_type", TYPE));
    taskId =
        api(
                "task/createTask",
                Map.of(
                    "taskData",
                    Map.of(
                        "userId", "<b>ada</b>",
                        "taskType", TYPE,
                        "taskStage", "split",
                        "taskContext", "{\"secretOfTheTask\":1}")))
            .path("taskId")
            .asString();
    jobId =
        api(
                "job/createJob",
                Map.of(
                    "jobData",
                    Map.of(
                        "userId",
                        "ada",
                        "jobType",
                        TYPE,
                        "children",
                        List.of(Map.of("taskStage", "run", "taskContext", "{}")))))
            .path("jobId")
            .asString();
    scheduleId =
        api(
                "schedule/save",
                Map.of(
                    "scheduleData",
                    Map.of(
                        "name", "console-it",
                        "cron", "0 0 3 * * *",
                        "taskData",
                            Map.of("userId", "ada", "taskType", TYPE, "taskStage", "split"))))
            .path("scheduleId")
            .asString();
  }

  private List<String> pages() {
    return List.of(
        "/",
        "/?wall",
        "/failures",
        "/failures?verdict=POISON&span=all",
        "/types",
        "/types/" + TYPE,
        "/types/" + TYPE + "?tab=history&range=14d&stage=split",
        "/types/" + TYPE + "?tab=failures",
        "/types/" + TYPE + "?tab=settings",
        "/types/" + TYPE + "?tab=acts",
        "/types/" + TYPE + "?tab=tables",
        "/jobs",
        "/jobs/" + jobId,
        "/tasks",
        "/tasks?q=type:" + TYPE + "%20status:waiting",
        "/tasks?q=foo:bar",
        "/tasks?q=status:executing&order=LONGEST",
        "/tasks/" + taskId,
        "/jobs/" + jobId + "/map",
        "/workers",
        "/schedules",
        "/schedules/" + scheduleId,
        "/cluster",
        "/preferences",
        "/help");
  }

  @Test
  void everyPageOpensForThoseThatMayLook() throws Exception {
    for (Role role : List.of(Role.READER, Role.OPERATOR, Role.ADMIN)) {
      for (String language : List.of("en", "zh")) {
        for (String page : pages()) {
          HttpResponse<String> answer = get(page, KeyedServer.Roles.keyOf(role), language);

          assertThat(answer.statusCode()).as(role + " " + page + answer.body()).isEqualTo(200);
          assertThat(answer.body())
              .startsWith("<!DOCTYPE html>")
              .contains("<html lang=\"" + language + "\"");
          assertThat(answer.headers().firstValue("Content-Security-Policy").orElse(""))
              .contains("script-src 'self'");
        }
      }
    }
  }

  @Test
  void pagesBehindAProxyStayBelowItsPrefix() throws Exception {
    MockMvc server = behindAProxy();
    for (String page : pages()) {
      MockHttpServletResponse answer = open(server, page, "/ops", KeyedServer.KEY);

      assertThat(answer.getStatus()).as(page).isEqualTo(200);
      assertThat(links(answer.getContentAsString()))
          .as(page)
          .hasSizeGreaterThan(5)
          .allMatch(link -> link.matches("#main|/ops/console([/?].*)?"));
    }
    assertThat(open(server, "/types", "/ops", null).getHeader("Location"))
        .isEqualTo("/ops/console/login?to=%2Fops%2Fconsole%2Ftypes");
    assertThat(open(server, "/open?id=ada", "/ops", KeyedServer.KEY).getHeader("Location"))
        .isEqualTo("/ops/console/tasks?q=user%3Aada");
  }

  /** Of a client, through a proxy that hands on what it should set. */
  @Test
  void prefixThatIsNoPathLeadsNowhereElse() throws Exception {
    MockMvc server = behindAProxy();
    for (String elsewhere : List.of("//evil.example", "/\\evil.example", "/ops;x=1")) {
      MockHttpServletResponse answer = open(server, "/types", elsewhere, KeyedServer.KEY);

      assertThat(answer.getStatus()).as(elsewhere).isEqualTo(400);
      assertThat(answer.getHeader("Location")).isNull();
    }
    for (String page : List.of("/types", "/tasks/" + taskId, "/nowhere")) {
      String html =
          open(server, page, "/ops\"><script>alert(1)</script>", KeyedServer.KEY)
              .getContentAsString();

      assertThat(html).doesNotContain("<script>alert");
      assertThat(links(html))
          .as(page)
          .isNotEmpty()
          .allMatch(link -> link.matches("#main|/ops%22[^\"]*/console([/?].*)?"));
    }
  }

  /** The server's own filters and pages, where it believes the headers of a proxy. */
  private MockMvc behindAProxy() {
    return MockMvcBuilders.webAppContextSetup(context)
        .addFilters(new ForwardedHeaderFilter(), securityFilters)
        .build();
  }

  private static MockHttpServletResponse open(
      MockMvc server, String page, String prefix, String key) throws Exception {
    MockHttpServletRequestBuilder request =
        MockMvcRequestBuilders.get(URI.create("/console" + page))
            .header("Accept", "text/html")
            .header("X-Forwarded-Prefix", prefix);
    MvcResult result =
        server
            .perform(key == null ? request : request.header("Authorization", "Bearer " + key))
            .andReturn();
    Exchange.of(result.getRequest()).leave(); // there is no connection that would end it
    return result.getResponse();
  }

  private static List<String> links(String html) {
    return Pattern.compile(" (?:href|src|action)=\"([^\"]*)\"")
        .matcher(html)
        .results()
        .map(link -> link.group(1))
        .toList();
  }

  @Test
  void recordOfActsOpensForOperatorsAlone() throws Exception {
    assertThat(get("/audit", KeyedServer.Roles.keyOf(Role.OPERATOR), "en").statusCode())
        .isEqualTo(200);
    HttpResponse<String> refused = get("/audit", KeyedServer.Roles.keyOf(Role.READER), "en");
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(refused.body()).contains("You may not do this");
  }

  @Test
  void pageThatIsOpenedWithoutAKeyLeadsToTheLogIn() throws Exception {
    for (String page : pages()) {
      HttpResponse<String> answer = get(page, null, "en");

      assertThat(answer.statusCode()).as(page).isEqualTo(303);
      assertThat(answer.headers().firstValue("Location").orElse(""))
          .startsWith("/console/login?to=%2Fconsole%2F");
      assertThat(get(page, "wrong-key", "en").statusCode()).as(page).isIn(401, 429);
    }
    assertThat(get("/static/now/console.css", null, "en").statusCode()).isEqualTo(200);
    assertThat(get("/login", null, "zh").body()).contains("<h1>登录</h1>");
  }

  @Test
  void onlyTheLogInAndFilesAreOpenToAll() {
    Set<String> open = new TreeSet<>();
    controllers
        .getHandlerMethods()
        .forEach(
            (route, handler) -> {
              if (handler.hasMethodAnnotation(OpenToAll.class)) {
                open.addAll(route.getPatternValues());
              }
            });
    assertThat(open).containsExactly("/console/login", "/console/static/{hash}/{name}");
  }

  @Test
  void keyIsExchangedForASessionWhoseFormsHaveItsToken() throws Exception {
    HttpResponse<String> begun =
        submit("/login", null, "key=" + KeyedServer.KEY + "&to=/console/jobs");
    assertThat(begun.statusCode()).as(begun.body()).isEqualTo(303);
    assertThat(begun.headers().firstValue("Location")).hasValue("/console/jobs");
    String cookie = begun.headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];

    HttpResponse<String> page = withCookie("/tasks/" + taskId, cookie);
    assertThat(page.statusCode()).isEqualTo(200);
    Matcher token = Pattern.compile("name=\"csrf\" value=\"([^\"]+)\"").matcher(page.body());
    assertThat(token.find()).isTrue();

    String cancel = "/tasks/" + taskId + "/cancel";
    assertThat(submit(cancel, cookie, "reason=forged").statusCode()).isEqualTo(403);
    assertThat(submit(cancel, cookie, "csrf=guessed").statusCode()).isEqualTo(403);
    assertThat(status()).isEqualTo(1);
    assertThat(submit(cancel, cookie, "csrf=" + token.group(1)).statusCode()).isEqualTo(303);
    assertThat(status()).isEqualTo(16);

    HttpResponse<String> loggedOut = submit("/logout", cookie, "csrf=" + token.group(1));
    assertThat(loggedOut.statusCode()).isEqualTo(303);
    assertThat(loggedOut.headers().firstValue("Clear-Site-Data")).contains("\"cache\"");
    assertThat(withCookie("/types", cookie).statusCode()).isEqualTo(303);
  }

  /** Its cookie is lost to the browser, and may be known to somebody else. */
  @Test
  void logInEndsTheSessionThatTheBrowserHadBefore() throws Exception {
    String before = logIn();
    assertThat(withCookie("/types", before).statusCode()).isEqualTo(200);
    assertThat(submit("/login", before, "key=wrong-key").statusCode()).isIn(401, 429);
    assertThat(withCookie("/types", before).statusCode()).isEqualTo(200);

    HttpResponse<String> again = submit("/login", before, "key=" + KeyedServer.KEY);
    assertThat(again.statusCode()).as(again.body()).isEqualTo(303);
    String cookie = again.headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];
    assertThat(cookie).isNotEqualTo(before);
    assertThat(withCookie("/types", before).statusCode()).isEqualTo(303);
    assertThat(withCookie("/types", cookie).statusCode()).isEqualTo(200);
  }

  @Test
  void wrongKeyIsRefusedOnThePageItself() throws Exception {
    HttpResponse<String> answer = submit("/login", null, "key=wrong-key");

    assertThat(answer.statusCode()).isIn(401, 429);
    assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
    assertThat(answer.body()).startsWith("<!DOCTYPE html>").doesNotContain("wrong-key");
  }

  @Test
  void pageOfAnotherSiteLogsNobodyIn() throws Exception {
    HttpResponse<String> answer =
        http.send(
            form("/login", "key=" + KeyedServer.KEY).header("Sec-Fetch-Site", "cross-site").build(),
            BodyHandlers.ofString());

    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
  }

  @Test
  void newsOfAPageWhoseSessionHasEndedAreTheLogIn() throws Exception {
    for (int i = 0; i < 2 * TRIES_A_MINUTE; i++) {
      HttpResponse<String> answer =
          http.send(
              request("/tasks/" + taskId, null, "en")
                  .header("Cookie", "asyncflow=" + "A".repeat(43))
                  .header("X-Asyncflow-Live", "1")
                  .build(),
              BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(303);
      assertThat(answer.headers().firstValue("Location"))
          .hasValue("/console/login?to=%2Fconsole%2Ftasks%2F" + taskId);
    }
  }

  @Test
  void formThatIsSentAfterTheSessionHasEndedLeadsToTheLogInAndDoesNothing() throws Exception {
    String cancel = "/tasks/" + taskId + "/cancel";
    String ended = "asyncflow=" + "A".repeat(43);
    String origin = "http://localhost:" + port;
    HttpResponse<String> answer =
        http.send(
            form(cancel, "reason=late")
                .header("Cookie", ended)
                .header("Origin", origin)
                .header("Referer", origin + "/console/tasks/" + taskId + "?x=1")
                .build(),
            BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(303);
    String to = "/console/login?to=%2Fconsole%2Ftasks%2F" + taskId;
    assertThat(answer.headers().firstValue("Location")).hasValue(to + "%3Fx%3D1&why=ended");
    assertThat(get(to.substring("/console".length()) + "&why=ended", null, "en").body())
        .contains("Your session has ended. What you sent was not done,")
        .contains("value=\"/console/tasks/" + taskId + "\"");

    assertThat(submit(cancel, ended, "reason=late").headers().firstValue("Location"))
        .hasValue(to + "&why=ended");
    assertThat(status()).isEqualTo(1);
  }

  @Test
  void longSearchWhoseSessionHasEndedLeadsToTheLogIn() throws Exception {
    HttpResponse<String> answer =
        withCookie("/tasks?q=" + "%E5%9B%B0".repeat(260), "asyncflow=" + "A".repeat(43));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(303);
    assertThat(answer.headers().firstValue("Location"))
        .hasValue("/console/login?to=%2Fconsole%2Ftasks");
  }

  @Test
  void otherSitesAndToolsAreNotLedToTheLogInByWhatTheySend() throws Exception {
    String cancel = "/tasks/" + taskId + "/cancel";
    HttpResponse<String> foreign =
        http.send(
            form(cancel, "").header("Origin", "https://evil.example").build(),
            BodyHandlers.ofString());
    assertThat(foreign.statusCode()).isIn(401, 429);
    HttpResponse<String> tool =
        http.send(
            HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/console" + cancel))
                .POST(BodyPublishers.noBody())
                .build(),
            BodyHandlers.ofString());
    assertThat(tool.statusCode()).isIn(401, 429);
    assertThat(tool.body()).startsWith("{");
  }

  @Test
  void pageWhoseSessionCannotBeReadNowIsAPageThatAsksAgain() throws Exception {
    String cookie = logIn();
    sql.sql("RENAME TABLE t_session TO t_session_away").update();
    try {
      HttpResponse<String> answer = withCookie("/tasks/" + taskId, cookie);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
      assertThat(answer.body()).startsWith("<!DOCTYPE html>").contains("data-again=\"yes\"");
      assertThat(answer.headers().firstValue("Content-Security-Policy").orElse(""))
          .contains("script-src 'self'");
      assertThat(answer.headers().allValues("Cache-Control")).containsExactly("no-store");
      assertThat(answer.headers().firstValue("Retry-After")).isPresent();
      assertThat(answer.headers().firstValue("X-Trace-Id")).isPresent();

      String act = submit("/tasks/" + taskId + "/cancel", cookie, "reason=because").body();
      assertThat(act)
          .startsWith("<!DOCTYPE html>")
          .doesNotContain("data-again=\"yes\"")
          .contains("href=\"/console/tasks/" + taskId + "\"");
    } finally {
      sql.sql("RENAME TABLE t_session_away TO t_session").update();
    }
    assertThat(withCookie("/tasks/" + taskId, cookie).statusCode()).isEqualTo(200);
    assertThat(status()).isEqualTo(1);
  }

  private HttpResponse<String> submit(String page, String cookie, String fields)
      throws IOException, InterruptedException {
    HttpRequest.Builder form = form(page, fields);
    return http.send(
        (cookie == null ? form : form.header("Cookie", cookie)).build(), BodyHandlers.ofString());
  }

  private HttpRequest.Builder form(String page, String fields) {
    return request(page, null, "en")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(BodyPublishers.ofString(fields));
  }

  private HttpResponse<String> withCookie(String page, String cookie)
      throws IOException, InterruptedException {
    return http.send(
        request(page, null, "en").header("Cookie", cookie).build(), BodyHandlers.ofString());
  }

  @Test
  void contentsAreForThoseThatMayReadThem() throws Exception {
    assertThat(get("/tasks/" + taskId, KeyedServer.Roles.keyOf(Role.ADMIN), "en").body())
        .contains("secretOfTheTask");
    assertThat(get("/tasks/" + taskId, KeyedServer.Roles.keyOf(Role.OPERATOR), "en").body())
        .doesNotContain("secretOfTheTask");
  }

  @Test
  void pageOfATaskBeginsWithWhyItDoesNotRun() throws Exception {
    assertThat(get("/tasks/" + taskId, KeyedServer.Roles.keyOf(Role.READER), "zh").body())
        .contains("data-code=\"NO_WORKER\"")
        .contains("没有存活的节点能执行此阶段。");
  }

  @Test
  void objectOfATaskIsADownloadForThoseThatMayReadObjects() throws Exception {
    TaskType type = given.aType().create();
    given.aWaitingTask().ofType(type).inStage("render").create();
    Task held = given.aHold(type).theTask();
    StoreKey key = StoreKey.of(held.taskId(), "render", held.leaseEpoch(), "page.html");
    byte[] script = "<script>pwned=1</script>".repeat(20_000).getBytes(StandardCharsets.UTF_8);
    new HttpFlowClient(URI.create("http://127.0.0.1:" + port), KeyedServer.KEY)
        .store()
        .put(key, held.workerId(), StoreContent.of(script));
    String file = "/file?key=" + key;
    assertThat(get("/tasks/" + held.taskId(), KeyedServer.KEY, "en").body())
        .contains("href=\"/console/file?key=");

    HttpResponse<byte[]> download =
        http.send(request(file, KeyedServer.KEY, "en").build(), BodyHandlers.ofByteArray());
    assertThat(download.statusCode()).isEqualTo(200);
    assertThat(download.body()).isEqualTo(script);
    Map<String, List<String>> headers = download.headers().map();
    assertThat(headers.get("content-type")).containsExactly("application/octet-stream");
    assertThat(headers.get("content-disposition"))
        .containsExactly("attachment; filename=\"page.html\"");
    assertThat(headers.get("content-security-policy"))
        .containsExactly("sandbox; default-src 'none'");
    assertThat(headers.get("cache-control")).containsExactly("no-store");

    assertThat(get("/file/play?key=" + key, KeyedServer.KEY, "en").statusCode()).isEqualTo(404);
    assertThat(get(file + "x", KeyedServer.KEY, "en").statusCode()).isEqualTo(404);
    String reader = KeyedServer.Roles.keyOf(Role.READER);
    assertThat(get(file, reader, "en").statusCode()).isEqualTo(403);
    assertThat(get("/tasks/" + held.taskId(), reader, "en").body())
        .contains("page.html")
        .doesNotContain("/console/file");
  }

  @Test
  void inputOfAJobIsADownloadForThoseThatMayReadContents() throws Exception {
    String input = "<script>pwned=1</script>".repeat(10_000);
    String id =
        api(
                "job/createJob",
                Map.of("jobData", Map.of("userId", "ada", "jobType", TYPE, "jobInput", input)))
            .path("jobId")
            .asString();
    String file = "/file/input?job=" + id;
    assertThat(get("/jobs/" + id, KeyedServer.KEY, "en").body()).contains("/console" + file);

    HttpResponse<String> download = get(file, KeyedServer.KEY, "en");
    assertThat(download.body()).isEqualTo(input);
    assertThat(download.headers().allValues("Content-Type"))
        .containsExactly("application/octet-stream");
    assertThat(download.headers().allValues("Content-Security-Policy"))
        .containsExactly("sandbox; default-src 'none'");

    assertThat(get(file + "x", KeyedServer.KEY, "en").statusCode()).isBetween(400, 404);
    String reader = KeyedServer.Roles.keyOf(Role.READER);
    assertThat(get(file, reader, "en").statusCode()).isEqualTo(403);
    assertThat(get("/jobs/" + id, reader, "en").body()).doesNotContain(file);
  }

  @Test
  void textOfAStrangerStaysAText() throws Exception {
    assertThat(get("/tasks/" + taskId, KeyedServer.Roles.keyOf(Role.ADMIN), "en").body())
        .contains("&lt;b&gt;ada&lt;/b&gt;")
        .doesNotContain("<b>ada");
  }

  @Test
  void actOfAFormIsHeldToTheVerbsOfTheCaller() throws Exception {
    String cancel = "/tasks/" + taskId + "/cancel";

    assertThat(post(cancel, KeyedServer.Roles.keyOf(Role.READER)).statusCode()).isEqualTo(403);
    assertThat(status()).isEqualTo(1);
    assertThat(post(cancel, KeyedServer.Roles.keyOf(Role.OPERATOR)).statusCode()).isEqualTo(303);
    assertThat(status()).isEqualTo(16);
    assertThat(api("audit/list", Map.of("object", "task:" + taskId)).toString())
        .contains("key:OPERATOR")
        .contains("from the console");
  }

  private int status() throws Exception {
    return api("task/getTask", Map.of("taskId", taskId)).path("taskData").path("status").asInt();
  }

  @Test
  void pagesAreHeldToTheScopeOfTheCaller() throws Exception {
    KeyedServer.Roles.add(
        "key-of-another-tenant",
        TestCallers.of(
            Role.ADMIN, new Scope(Names.of(List.of("other_*")), Names.ALL, Names.ALL, "other-")));

    for (String page : List.of("/tasks/" + taskId, "/jobs/" + jobId, "/schedules/" + scheduleId)) {
      assertThat(get(page, "key-of-another-tenant", "en").statusCode()).as(page).isEqualTo(404);
    }
    for (String list : List.of("/", "/failures", "/types", "/jobs", "/schedules")) {
      assertThat(get(list, "key-of-another-tenant", "en").body()).doesNotContain(TYPE);
    }
    assertThat(post("/tasks/" + taskId + "/cancel", "key-of-another-tenant").statusCode())
        .isEqualTo(404);
    assertThat(status()).isEqualTo(1);
  }

  @Test
  void whatOneCallerHasReadIsNotShownToAnotherWithLess() throws Exception {
    KeyedServer.Roles.add(
        "key-of-a-third-tenant",
        TestCallers.of(
            Role.ADMIN, new Scope(Names.of(List.of("third_*")), Names.ALL, Names.ALL, "third-")));
    String page = "/tasks/" + taskId;
    assertThat(get(page, KeyedServer.KEY, "en").body()).contains("secretOfTheTask");

    assertThat(get(page, "key-of-a-third-tenant", "en").statusCode()).isEqualTo(404);
    assertThat(get(page, KeyedServer.Roles.keyOf(Role.OPERATOR), "en").body())
        .doesNotContain("secretOfTheTask");
  }

  @Test
  void pageAfterAnActShowsWhatTheActChanged() throws Exception {
    String key = KeyedServer.Roles.keyOf(Role.OPERATOR);
    String page = "/tasks/" + taskId;
    assertThat(stateOn(get(page, key, "en"))).isEqualTo("waiting");

    assertThat(post(page + "/cancel", key).statusCode()).isEqualTo(303);
    assertThat(stateOn(get(page, key, "en"))).isEqualTo("cancelled");

    api("task/retry", Map.of("taskId", taskId)); // as if another server had done it for the page
    HttpResponse<String> after =
        http.send(
            request(page, key, "en").header("Cookie", "asyncflow_done=task_retry").build(),
            BodyHandlers.ofString());
    assertThat(stateOn(after)).isEqualTo("waiting");
    assertThat(after.body()).contains("The task waits again.");
    assertThat(after.headers().firstValue("Set-Cookie").orElse(""))
        .startsWith("asyncflow_done=;")
        .contains("Max-Age=0");
  }

  @Test
  void bulkIsPreviewedByAFormAndShownToItsCallerAlone() throws Exception {
    Scope scope = new Scope(Names.of(List.of(TYPE)), Names.ALL, Names.ALL, "");
    for (String name : List.of("key:ofOneTwin", "key:ofTheOther")) {
      KeyedServer.Roles.add(
          name, new Caller(Caller.Kind.KEY, name, Set.of(Role.OPERATOR), scope, null));
    }
    String asked = "/bulk/new?q=type:" + TYPE + "&act=CANCEL";
    assertThat(get(asked, KeyedServer.Roles.keyOf(Role.READER), "en").body())
        .doesNotContain("name=\"token\"");
    assertThat(get(asked, "key:ofOneTwin", "en").body())
        .contains("value=\"type:" + TYPE + "\"")
        .doesNotContain("name=\"token\"");

    String preview = send("/bulk/new", "key:ofOneTwin", "act=CANCEL&q=id:" + taskId).body();
    HttpResponse<String> started =
        send(
            "/bulk/start",
            "key:ofOneTwin",
            "count=1&reason=because&token=" + first("name=\"token\" value=\"([^\"]+)", preview));

    assertThat(started.statusCode()).as(started.body()).isEqualTo(303);
    String bulk = first("/console(/bulk/.+)", started.headers().firstValue("Location").get());
    for (String page : List.of("/bulk", bulk)) {
      assertThat(get(page, "key:ofOneTwin", "en").body()).contains(taskId);
    }
    assertThat(get("/bulk", "key:ofTheOther", "en").body()).doesNotContain(taskId);
    assertThat(get(bulk, "key:ofTheOther", "en").statusCode()).isEqualTo(404);
  }

  private static String first(String pattern, String text) {
    Matcher found = Pattern.compile(pattern).matcher(text);
    assertThat(found.find()).as(text).isTrue();
    return found.group(1);
  }

  private static String stateOn(HttpResponse<String> page) {
    Matcher state =
        Pattern.compile("id=\"state\" data-live><span class=\"st st-(\\w+)").matcher(page.body());
    assertThat(state.find()).isTrue();
    return state.group(1);
  }

  @Test
  void actOnATaskThatHasMovedSinceShowsBothStates() throws Exception {
    String page = "/tasks/" + taskId;
    String shown = get(page, KeyedServer.KEY, "en").body();
    assertThat(shown)
        .contains("name=\"expected_epoch\" value=\"0\"")
        .contains("name=\"expected_status\" value=\"1\"");
    api("task/cancel", Map.of("taskId", taskId));

    HttpResponse<String> refused =
        http.send(
            request(page + "/set_status", KeyedServer.KEY, "en")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(
                    BodyPublishers.ofString("reason=r&status=4&expected_epoch=0&expected_status=1"))
                .build(),
            BodyHandlers.ofString());

    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(refused.body())
        .contains("8053")
        .contains("it was seen WAITING after 0 holds, it is CANCELLED after 0 holds");
    assertThat(status()).isEqualTo(16);
  }

  @Test
  void callerWithARateOpensAsManyPages() throws Exception {
    KeyedServer.Roles.add(
        "key-with-a-rate",
        new Caller(
            Caller.Kind.ENV,
            "key:rated",
            Set.of(Role.ADMIN),
            Scope.ALL,
            new RequestRate(1, System.nanoTime())));
    assertThat(get("/tasks/" + taskId, "key-with-a-rate", "en").statusCode()).isEqualTo(200);

    HttpResponse<String> refused = get("/tasks/" + taskId, "key-with-a-rate", "en");

    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.body()).startsWith("<!DOCTYPE html>");
    assertThat(refused.headers().firstValue("Retry-After")).isPresent();
  }

  @Test
  void browserKeepsPagesToAskAgainAndFilesForGood() throws Exception {
    HttpResponse<String> page = get("/types", KeyedServer.KEY, "en");
    assertThat(page.headers().allValues("Cache-Control")).containsExactly("no-cache, private");

    Matcher file = Pattern.compile("/console(/static/[^\"]+/console.css)").matcher(page.body());
    assertThat(file.find()).isTrue();
    assertThat(get(file.group(1), null, "en").headers().allValues("Cache-Control"))
        .containsExactly("max-age=31536000, public, immutable");

    for (String address : List.of("/no/such/page", "/login")) {
      assertThat(get(address, KeyedServer.KEY, "en").headers().allValues("Cache-Control"))
          .as(address)
          .hasSize(1);
    }
    assertThat(get("/types", null, "en").headers().allValues("Cache-Control"))
        .containsExactly("no-store");
  }

  @Test
  void pageIsSentAgainAfterAnotherLogInSinceItsFormsHaveAnotherToken() throws Exception {
    HttpResponse<String> before = withCookie("/types/" + TYPE, logIn());
    HttpResponse<String> after =
        http.send(
            request("/types/" + TYPE, null, "en")
                .header("Cookie", logIn())
                .header("If-None-Match", before.headers().firstValue("ETag").orElseThrow())
                .build(),
            BodyHandlers.ofString());

    assertThat(before.statusCode()).isEqualTo(200);
    assertThat(after.statusCode()).isEqualTo(200);
  }

  private String logIn() throws Exception {
    return submit("/login", null, "key=" + KeyedServer.KEY)
        .headers()
        .firstValue("Set-Cookie")
        .orElseThrow()
        .split(";")[0];
  }

  @Test
  void overviewShowsTheTypesAndLeadsThoseOfSomeUsersToTheirs() throws Exception {
    KeyedServer.Roles.add(
        "key-of-some-users",
        TestCallers.of(Role.READER, new Scope(Names.ALL, Names.ALL, Names.of(List.of("ada")), "")));

    assertThat(get("/", KeyedServer.Roles.keyOf(Role.READER), "en").body())
        .contains("data-key=\"" + TYPE + "\"");
    HttpResponse<String> answer = get("/", "key-of-some-users", "en");
    assertThat(answer.statusCode()).isEqualTo(303);
    assertThat(answer.headers().firstValue("Location")).hasValue("/console/types");
    assertThat(get("/types/" + TYPE, "key-of-some-users", "en").body())
        .contains("These are numbers of all users");
  }

  @Test
  void typeIsPausedOnTheOverviewByOperatorsAlone() throws Exception {
    assertThat(get("/", KeyedServer.Roles.keyOf(Role.READER), "en").body())
        .doesNotContain("act-type_pause");
    String key = KeyedServer.Roles.keyOf(Role.OPERATOR);
    assertThat(get("/", key, "en").body()).contains("act-type_pause-" + TYPE);

    HttpResponse<String> paused = post("/types/" + TYPE + "/pause?from=overview", key);
    assertThat(paused.statusCode()).isEqualTo(303);
    assertThat(paused.headers().firstValue("Location")).hasValue("/console");
    assertThat(paused.headers().firstValue("Set-Cookie").orElse(""))
        .startsWith("asyncflow_done=type_pause;");
    assertThat(get("", key, "en").body()).contains("act-type_resume-" + TYPE);

    assertThat(post("/types/" + TYPE + "/resume?from=overview", key).statusCode()).isEqualTo(303);
    assertThat(get("", key, "en").body()).contains("act-type_pause-" + TYPE);
  }

  @Test
  void kitchenIsClosed() throws Exception {
    assertThat(get("/_kitchen", KeyedServer.Roles.keyOf(Role.ADMIN), "en").statusCode())
        .isEqualTo(404);
  }

  @Test
  void unknownPageIsAPage() throws Exception {
    HttpResponse<String> answer = get("/no/such/page", KeyedServer.Roles.keyOf(Role.READER), "en");

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).contains("There is no such thing");
  }

  @Test
  void pageWithNothingNewIsNotSentAgain() throws Exception {
    String key = KeyedServer.Roles.keyOf(Role.READER);
    String tag = get("/types", key, "en").headers().firstValue("ETag").orElseThrow();
    HttpResponse<String> again =
        http.send(
            request("/types", key, "en")
                .header("X-Asyncflow-Live", "1")
                .header("If-None-Match", tag)
                .build(),
            BodyHandlers.ofString());

    assertThat(again.statusCode()).isEqualTo(304);
    assertThat(again.body()).isEmpty();
    int bytes =
        again.headers().map().entrySet().stream()
            .flatMap(header -> header.getValue().stream().map(text -> header.getKey() + text))
            .mapToInt(header -> header.length() + ": \r\n".length())
            .sum();
    assertThat(bytes).as("bytes of headers").isLessThan(ANSWER_BYTES);
  }

  private HttpResponse<String> get(String page, String key, String language)
      throws IOException, InterruptedException {
    return http.send(request(page, key, language).build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> post(String page, String key)
      throws IOException, InterruptedException {
    return send(page, key, "reason=from+the+console");
  }

  private HttpResponse<String> send(String page, String key, String fields)
      throws IOException, InterruptedException {
    return http.send(
        request(page, key, "en")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(fields))
            .build(),
        BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String page, String key, String language) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/console" + page))
            .header("Accept", "text/html")
            .header("Accept-Language", language);
    return key == null ? request : request.header("Authorization", "Bearer " + key);
  }

  private JsonNode api(String path, Map<String, ?> fields)
      throws IOException, InterruptedException {
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/api/" + path))
                .header("Authorization", "Bearer " + KeyedServer.KEY)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(JSON.writeValueAsString(fields)))
                .build(),
            BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body()).path("result");
  }
}
