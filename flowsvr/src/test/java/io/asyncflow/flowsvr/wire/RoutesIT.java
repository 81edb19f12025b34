package io.asyncflow.flowsvr.wire;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.console.OpenToAll;
import io.asyncflow.flowsvr.KeyedServer;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.Scope;
import io.asyncflow.flowsvr.edge.access.Verb;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.webmvc.actuate.endpoint.web.WebMvcEndpointHandlerMapping;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Every route, by every method, for every kind of caller, answers as {@link VerbTable} says, and
 * everything that is not in the table is closed; and no route leads out of a caller's scope.
 */
@KeyedServer
class RoutesIT {

  private static final String PROBE = "/api/probe/";
  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** In what a tenant has; and in what its user has. */
  private static final String MARK = "mark-of-the-owner";

  private static final String OF_THE_USER = "-of-the-user";
  private static final String CONSOLE = OpenToAll.class.getPackageName() + ".";

  /** Tomcat answers it by itself, to everybody. */
  private static final String TRACE = "TRACE";

  private static final List<String> METHODS =
      List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", TRACE, "PROPFIND");
  private static final Set<String> READING = Set.of("GET", "HEAD");

  private final VerbTable table = VerbTable.read();

  @LocalServerPort int port;

  @Autowired
  @Qualifier("requestMappingHandlerMapping")
  RequestMappingHandlerMapping controllers;

  @Autowired WebMvcEndpointHandlerMapping endpoints;
  @Autowired List<SimpleUrlHandlerMapping> resources;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /**
   * @param oneOf the verbs that suffice for each method that the route takes
   */
  private record Route(String path, Map<String, Set<Verb>> oneOf) {}

  @Test
  void tableGrantsToEachRoleWhatTheServerGrants() {
    for (Role role : Role.values()) {
      assertThat(table.verbsOf(role)).as(role.name()).isEqualTo(role.verbs());
    }
  }

  @Test
  void everyControllerMethodHasItsRowsAndEveryRowItsMethod() {
    Set<String> found = new HashSet<>();
    controllers
        .getHandlerMethods()
        .forEach(
            (info, handler) -> {
              Needs needs = handler.getMethodAnnotation(Needs.class);
              if (needs == null || needs.value().length == 0) {
                return;
              }
              Set<String> names =
                  pathsOf(info).stream()
                      .flatMap(path -> methodsOf(info).stream().map(m -> table.name(m, path)))
                      .filter(table::has)
                      .collect(toSet());
              assertThat(names).as("rows of " + handler).hasSize(1);
              names.forEach(
                  name -> assertThat(table.verbsFor(name)).as(name).containsOnly(needs.value()));
              found.addAll(names);
            });
    Set<String> ofControllers =
        table.names().stream().filter(name -> !VerbTable.isOfLibrary(name)).collect(toSet());
    assertThat(found).isEqualTo(ofControllers);
  }

  @Test
  void routeIsOpenToTheCallersWithItsVerbAndToNobodyElse() throws Exception {
    List<String> wrong = new ArrayList<>();
    for (Route route : routes()) {
      for (String method : METHODS) {
        check(route, method, null, wrong);
        check(route, method, "wrong-key", wrong);
        check(route, method, KeyedServer.Roles.EXPIRED, wrong);
        check(route, method, KeyedServer.Roles.REVOKED, wrong);
        for (Role role : Role.values()) {
          checkRole(route, method, role, wrong);
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  /** Without a valid key: only health, and only to read it. */
  private void check(Route route, String method, String key, List<String> wrong) throws Exception {
    Answer answer = send(method, route.path(), key);
    boolean isOpen = route.path().startsWith(VerbTable.HEALTH) && READING.contains(method);
    boolean isRight =
        isOpen
            ? !Set.of(401, 403, 429).contains(answer.status())
            : method.equals(TRACE)
                ? answer.status() == 405
                : answer.isError(401, isEnded(key) ? 8071 : 8070) || answer.isError(429, 8080);
    if (!isRight) {
      wrong.add(method + " " + route.path() + " with " + key + ": " + answer);
    }
  }

  private static boolean isEnded(String key) {
    return KeyedServer.Roles.EXPIRED.equals(key) || KeyedServer.Roles.REVOKED.equals(key);
  }

  private void checkRole(Route route, String method, Role role, List<String> wrong)
      throws Exception {
    Answer answer = send(method, route.path(), KeyedServer.Roles.keyOf(role));
    Set<Verb> oneOf = route.oneOf().get(method);
    boolean isRight;
    if (route.oneOf().isEmpty() && !method.equals(TRACE)) {
      isRight = answer.isError(404, 8020) && answer.mustSay("no such route");
    } else if (oneOf == null) {
      isRight = answer.isError(405, 8020);
    } else if (oneOf.isEmpty() || oneOf.stream().anyMatch(table.verbsOf(role)::contains)) {
      isRight = !Set.of(401, 403, 405).contains(answer.status()) && !answer.says("no such route");
    } else {
      isRight =
          answer.isError(403, 8072)
              && oneOf.stream().anyMatch(verb -> answer.mustSay("\"needs\":\"" + verb + "\""));
    }
    if (!isRight) {
      wrong.add(method + " " + route.path() + " by " + role + ": " + answer);
    }
  }

  /** What is named in the requests by its ids and names is another tenant's. */
  @Test
  void callerGetsNothingBeyondItsScopeByAnyRoute() throws Exception {
    Map<String, String> named = somethingOfATenant();
    List<String> before = looksOf(named);
    List<String> wrong = new ArrayList<>();
    Names nothing = Names.of(List.of("nothing*"));
    KeyedServer.Roles.add(
        "key-of-no-types",
        new Caller(
            Caller.Kind.KEY,
            "key:no-types",
            Set.of(Role.ADMIN),
            new Scope(nothing, Names.ALL, Names.ALL, "")));
    // Without the role of workers, for whom users do not count.
    KeyedServer.Roles.add(
        "key-of-no-users",
        new Caller(
            Caller.Kind.KEY,
            "key:no-users",
            Set.of(Role.READER, Role.SUBMITTER, Role.OPERATOR),
            new Scope(Names.ALL, Names.ALL, nothing, "")));
    List<Route> routes = routes().stream().filter(route -> isCall(route.path())).toList();
    int answered = 0;
    for (Route route : routes) {
      for (String method : route.oneOf().keySet()) {
        String ofNoTypes = ask(route, method, named, "key-of-no-types");
        String ofNoUsers = ask(route, method, named, "key-of-no-users");
        if (ofNoTypes.contains(MARK) || ofNoUsers.contains(MARK + OF_THE_USER)) {
          wrong.add(method + " " + route.path() + ": " + ofNoTypes + ofNoUsers);
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(looksOf(named)).as("nothing was changed").isEqualTo(before);
    for (Route route : routes) {
      for (String method : route.oneOf().keySet()) {
        answered += ask(route, method, named, KeyedServer.KEY).contains(MARK) ? 1 : 0;
      }
    }
    assertThat(answered)
        .as("what a caller without a scope gets by these requests")
        .isGreaterThan(15);
  }

  /** A call of the API, or of an old client. */
  private static boolean isCall(String path) {
    return path.startsWith("/api/") || path.startsWith("/task");
  }

  /** Everything has the mark where no request names it; ids and names of it. */
  private Map<String, String> somethingOfATenant() throws Exception {
    Map<String, String> named = new HashMap<>();
    ok("task_schedule_cfg/save", "{'task_type':'routes_owned','events':2}");
    String data =
        "'userId':'routes-owner','taskType':'routes_owned','taskStage':'s','taskContext':'%s'"
            .formatted(MARK + OF_THE_USER);
    named.put("taskId", ok("task/createTask", "{'taskData':{" + data + "}}", "taskId"));
    named.put(
        "jobId",
        ok(
            "job/createJob",
            "{'jobData':{'userId':'routes-owner','jobType':'routes_owned','jobInput':'%s'}}"
                .formatted(MARK + OF_THE_USER),
            "jobId"));
    named.put(
        "scheduleId",
        ok(
            "schedule/save",
            "{'scheduleData':{'name':'routes','everyMs':86400000,'taskData':{" + data + "}}}",
            "scheduleId"));
    named.put(
        "hookId",
        ok(
            "hook/save",
            "{'name':'routes','url':'https://hooks.example/"
                + MARK
                + "','state':'PAUSED','taskTypes':['routes_owned']}",
            "hookId"));
    String key = "{'name':'" + MARK + System.nanoTime() + "','roles':['READER']}";
    named.put("keyId", ok("key/create", key, "keyId"));
    JsonNode preview =
        JSON.readTree(ok("bulk/preview", "{'act':'PAUSE','filter':{'taskType':'routes_owned'}}"))
            .path("result");
    String start =
        "{'token':'%s','count':%s,'reason':'%s'}"
            .formatted(
                preview.path("token").asString(),
                preview.path("count").path("count").asInt(),
                MARK);
    named.put("bulkId", ok("bulk/start", start, "bulkId"));
    String bulk = "{'bulkId':'" + named.get("bulkId") + "'}";
    await().until(() -> ok("bulk/get", bulk).contains("\"state\":\"DONE\""));
    ok(
        "worker/heartbeat",
        "{'workerId':'routes-worker','startId':'s','worker':{'host':'" + MARK + "'}}");
    ok("pause/set", "{'kind':'STAGE','name':'routes_owned/x','reason':'" + MARK + "'}");
    named.putAll(
        Map.of(
            "workerId", "routes-worker",
            "taskType", "routes_owned",
            "task_type", "routes_owned",
            "jobType", "routes_owned",
            "table", "t_routes_owned_task_1",
            "kind", "STAGE",
            "name", "routes_owned/x",
            "taskStage", "s",
            "userId", "routes-owner",
            "reason", "curious"));
    return named;
  }

  /** What passes by itself: the age of a table, and the server that takes a schedule's slice. */
  private static final String OF_THE_SERVER =
      "\"ageSeconds\":[0-9]+|\"owner\":\"[^\"]*\",|\"epoch\":[0-9]+";

  private List<String> looksOf(Map<String, String> named) throws Exception {
    List<String> looks = new ArrayList<>();
    for (String call :
        List.of(
            "task/getTask",
            "job/getJob",
            "schedule/get",
            "hook/list",
            "key/list",
            "bulk/get",
            "pause/list",
            "task_schedule_cfg/tables")) {
      JsonNode seen = JSON.readTree(post(call, named, KeyedServer.KEY)).path("result");
      looks.add(call + seen.toString().replaceAll(OF_THE_SERVER, ""));
    }
    return looks;
  }

  private String ok(String call, String json) throws Exception {
    String answer = post(call, json.replace('\'', '"'), KeyedServer.KEY);
    assertThat(answer).contains("\"code\":0");
    return answer;
  }

  private String ok(String call, String json, String member) throws Exception {
    return JSON.readTree(ok(call, json)).path("result").path(member).asString();
  }

  private String post(String call, Map<String, String> named, String key) throws Exception {
    return post(call, JSON.writeValueAsString(named), key);
  }

  private String post(String call, String json, String key) throws Exception {
    return text("POST", "/api/" + call, json, key);
  }

  /** The same by any method: in the path, in the query and in the body. */
  private String ask(Route route, String method, Map<String, String> named, String key)
      throws Exception {
    String path = route.path().replace("1_lark_task_1", named.get("taskId"));
    return method.equals("POST")
        ? text(method, path, JSON.writeValueAsString(named), key)
        : text(method, path + "?" + Wire.form(named), "", key);
  }

  private String text(String method, String path, String json, String key) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .method(
                method, json.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(json))
            .build();
    HttpResponse<InputStream> answer = http.send(request, BodyHandlers.ofInputStream());
    try (InputStream body = answer.body()) {
      boolean isStream =
          answer.headers().firstValue("Content-Type").orElse("").startsWith("text/event-stream");
      return isStream ? "" : new String(body.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private List<Route> routes() {
    Map<String, Map<String, Set<Verb>>> all = new HashMap<>();
    controllers
        .getHandlerMethods()
        .forEach(
            (info, handler) -> {
              if (handler.getBeanType().getName().startsWith(CONSOLE)) {
                return; // ConsoleIT walks its pages
              }
              Needs needs = handler.getMethodAnnotation(Needs.class);
              for (String path : pathsOf(info)) {
                Map<String, Set<Verb>> oneOf =
                    all.computeIfAbsent(example(path), any -> new HashMap<>());
                if (needs != null) {
                  methodsOf(info).forEach(method -> oneOf.put(method, Set.of(needs.value())));
                }
              }
            });
    endpoints.getHandlerMethods().keySet().stream()
        .flatMap(info -> pathsOf(info).stream())
        .forEach(path -> all.put(example(path), new HashMap<>()));
    resources.stream()
        .flatMap(mapping -> mapping.getUrlMap().keySet().stream())
        .forEach(path -> all.put(example(path), new HashMap<>()));
    for (String path :
        List.of("/", "/nowhere", "/api", "/api/task", "/actuator/env", "/swagger-ui/index.html")) {
      all.put(path, new HashMap<>());
    }
    all.forEach(
        (path, oneOf) -> {
          if (path.startsWith(VerbTable.HEALTH)) {
            READING.forEach(method -> oneOf.put(method, Set.of()));
          }
          table
              .verbOfLibrary(path)
              .ifPresent(verb -> READING.forEach(method -> oneOf.put(method, EnumSet.of(verb))));
        });
    assertThat(all)
        .containsKeys(
            "/error", "/v3/api-docs", "/actuator/health", "/api/task/hold_task", "/task/hold_task")
        .hasSizeGreaterThan(90);
    return all.entrySet().stream()
        .map(route -> new Route(route.getKey(), route.getValue()))
        .toList();
  }

  private static Set<String> pathsOf(RequestMappingInfo info) {
    return info.getPatternValues().stream()
        .filter(path -> !path.startsWith(PROBE))
        .collect(toSet());
  }

  private static Set<String> methodsOf(RequestMappingInfo info) {
    return info.getMethodsCondition().getMethods().stream().map(Enum::name).collect(toSet());
  }

  /** A path that the pattern matches. */
  private static String example(String pattern) {
    return pattern
        .replace("{taskId}", "1_lark_task_1")
        .replace("{epoch}", "1")
        .replaceAll("\\{\\w+}", "x")
        .replace("/**", pattern.startsWith("/swagger-ui") ? "/index.html" : "/x")
        .replace("*", "");
  }

  private record Answer(int status, String body) {

    boolean isError(int status, int code) {
      return this.status == status && (body.isEmpty() || body.contains("\"code\":" + code));
    }

    boolean says(String words) {
      return body.contains(words);
    }

    /** An answer to HEAD has no words. */
    boolean mustSay(String words) {
      return body.isEmpty() || says(words);
    }
  }

  private Answer send(String method, String path, String key)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .method(method, BodyPublishers.noBody());
    if (key != null) {
      request.header("Authorization", "Bearer " + key);
    }
    HttpResponse<InputStream> answer = http.send(request.build(), BodyHandlers.ofInputStream());
    try (InputStream body = answer.body()) { // a stream of events has no end
      boolean isError = answer.statusCode() >= 400;
      return new Answer(
          answer.statusCode(),
          isError ? new String(body.readAllBytes(), StandardCharsets.UTF_8) : "");
    }
  }
}
