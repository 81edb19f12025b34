package io.asyncflow.flowsvr.wire;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.console.OpenToAll;
import io.asyncflow.flowsvr.KeyedServer;
import io.asyncflow.flowsvr.access.Needs;
import io.asyncflow.flowsvr.access.Role;
import io.asyncflow.flowsvr.access.Verb;
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

/**
 * Every route, by every method, for every kind of caller, answers as {@link VerbTable} says, and
 * everything that is not in the table is closed.
 */
@KeyedServer
class RoutesIT {

  private static final String PROBE = "/api/probe/";
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
    Set<String> ofApi =
        table.names().stream().filter(name -> !name.startsWith("/")).collect(toSet());
    assertThat(found).isEqualTo(ofApi);
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
              .verbOutsideOfTheApi(path)
              .ifPresent(verb -> READING.forEach(method -> oneOf.put(method, EnumSet.of(verb))));
        });
    assertThat(all)
        .containsKeys("/error", "/v3/api-docs", "/actuator/health", "/api/task/hold_task")
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
