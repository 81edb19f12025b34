package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.web.bind.annotation.RequestMethod.POST;

import io.asyncflow.flowsvr.KeyedServer;
import io.asyncflow.flowsvr.StatementCounter;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.Scope;
import io.asyncflow.flowsvr.edge.access.TestCallers;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import java.lang.reflect.RecordComponent;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * What is not in a caller's scope answers as what is not there, and with as many statements, so the
 * time of an answer tells nothing either.
 */
@KeyedServer
@TestPropertySource(
    properties =
        "spring.datasource.hikari.data-source-properties.queryInterceptors="
            + "io.asyncflow.flowsvr.StatementCounter")
@DirtiesContext
class HiddenIdsIT {

  private static final String WORDS =
      "'status':8,'reason':'r','priority':1,'workerIds':[],'leaseEpoch':1";

  /**
   * Calls of workers: they name the type in the id of a task, and the users of tasks do not count.
   */
  private static final Set<String> OF_WORKERS =
      Set.of("task/set_task", "/task/set_task", "job/addChildren");

  /** Calls that filter by an id: they find nothing. */
  private static final Set<String> LISTS = Set.of("task/search");

  private static final String OF_OWN_TYPES = "key-of-own-types";
  private static final String OF_OWN_USERS = "key-of-own-users";

  @LocalServerPort int port;

  @Autowired
  @Qualifier("requestMappingHandlerMapping")
  RequestMappingHandlerMapping controllers;

  private Wire wire;

  /**
   * What a caller learns.
   *
   * @param text the answer without the id
   */
  private record Seen(int status, String text, long statements) {}

  /**
   * A call with an id.
   *
   * @param member the one that has the id
   * @param isPost whether it takes JSON; otherwise it is a GET
   */
  private record Named(String path, String member, boolean isPost) {}

  @BeforeEach
  void callers() {
    wire = new Wire(port);
    Names own = Names.of(List.of("own*"));
    KeyedServer.Roles.add(
        OF_OWN_TYPES, TestCallers.of(Role.ADMIN, new Scope(own, Names.ALL, Names.ALL, "")));
    KeyedServer.Roles.add(
        OF_OWN_USERS, TestCallers.of(Role.ADMIN, new Scope(Names.ALL, Names.ALL, own, "")));
  }

  /** Of each call that takes an id, also of those to come. */
  @Test
  void whatIsHiddenAnswersAsWhatIsNotThere() {
    call(KeyedServer.KEY, "task_schedule_cfg/save", "'task_type':'other'");
    Map<String, String> hidden = new HashMap<>();
    hidden.put("taskId", made("task/createTask", "'taskData':{" + data("other") + "}", "taskId"));
    hidden.put(
        "jobId",
        made(
            "job/createJob", "'jobData':{'userId':'u','jobType':'other','jobInput':'i'}", "jobId"));
    hidden.put(
        "scheduleId",
        made(
            "schedule/save",
            "'scheduleData':{'name':'s','everyMs':86400000,'taskData':{" + data("other") + "}}",
            "scheduleId"));
    hidden.put(
        "hookId",
        made(
            "hook/save",
            "'name':'h','url':'https://hooks.example/','state':'PAUSED','taskTypes':['other']",
            "hookId"));
    hidden.put("keyId", made("key/create", "'name':'hidden','roles':['READER']", "keyId"));
    hidden.put(
        "bulkId", made("bulk/preview", "'act':'RETRY','filter':{'taskType':'other'}", "bulkId"));

    List<Named> calls = named(hidden.keySet());
    assertThat(calls).extracting(Named::member).containsAll(hidden.keySet());
    assertThat(calls).hasSizeGreaterThan(35);
    List<String> wrong = new ArrayList<>();
    for (String key : List.of(OF_OWN_TYPES, OF_OWN_USERS)) {
      for (Named call : calls) {
        if (!OF_WORKERS.contains(call.path())) {
          String id = hidden.get(call.member());
          Seen ofHidden = cheapest(key, call, id);
          Seen ofUnknown = cheapest(key, call, unknown(id));
          boolean isNotThere = ofHidden.status() == 404 || LISTS.contains(call.path());
          if (!isNotThere || !ofHidden.equals(ofUnknown)) {
            wrong.add(key + " " + call + ": " + ofHidden + ofUnknown);
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(
            see(KeyedServer.KEY, new Named("task/getTask", "taskId", true), hidden.get("taskId"))
                .statements())
        .as("statements are counted")
        .isPositive();
  }

  /** The calls that take one of these members. */
  private List<Named> named(Set<String> members) {
    List<Named> calls = new ArrayList<>();
    controllers
        .getHandlerMethods()
        .forEach(
            (info, handler) -> {
              Takes takes = handler.getMethodAnnotation(Takes.class);
              if (takes != null) {
                String path = info.getPatternValues().iterator().next().replace("/api/", "");
                boolean isPost = info.getMethodsCondition().getMethods().contains(POST);
                Stream.of(takes.shape())
                    .flatMap(shape -> Stream.of(shape.getRecordComponents()))
                    .map(RecordComponent::getName)
                    .distinct()
                    .filter(members::contains)
                    .forEach(member -> calls.add(new Named(path, member, isPost)));
              }
            });
    return calls;
  }

  private static String data(String type) {
    return "'userId':'u','taskStage':'s','taskType':'" + type + "'";
  }

  /** The id of something that is not there. */
  private static String unknown(String id) {
    String number = id.replaceFirst("_.*", "");
    return number.matches("[0-9]{11,}")
        ? Long.parseLong(number) + 7 + id.substring(number.length())
        : (id.charAt(0) == 'a' ? 'b' : 'a') + id.substring(1);
  }

  /** Now and then a call reads again what the server remembers of its tables. */
  private Seen cheapest(String key, Named call, String id) {
    return Stream.generate(() -> see(key, call, id))
        .limit(4)
        .min(Comparator.comparing(Seen::statements))
        .orElseThrow();
  }

  private Seen see(String key, Named call, String id) {
    StatementCounter.clear();
    Wire.Answer answer =
        call.isPost()
            ? call(key, call.path(), "'" + call.member() + "':'" + id + "'," + WORDS + more(call))
            : get(key, call.path() + "?" + call.member() + "=" + id);
    String text =
        answer.http().body().replace(id, "ID").replaceFirst("\"traceId\":\"[0-9a-f]+\"", "");
    return new Seen(answer.status(), text, StatementCounter.ofThreadsLike("http-nio"));
  }

  /** What some calls want besides. */
  private static String more(Named call) {
    long now = System.currentTimeMillis();
    return switch (call.path()) {
      case "task/why" -> call.member().equals("jobId") ? ",'index':0" : "";
      case "schedule/backfill" -> ",'from':" + (now - 600_000) + ",'to':" + (now - 60_000);
      default -> "";
    };
  }

  private String made(String call, String members, String id) {
    Wire.Answer answer = call(KeyedServer.KEY, call, members);
    assertThat(answer.status()).as(answer.http().body()).isEqualTo(200);
    return answer.result().path(id).asString();
  }

  private Wire.Answer call(String key, String call, String members) {
    return wire.send(
        wire.request(address(call))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(("{" + members + "}").replace('\'', '"'))));
  }

  private Wire.Answer get(String key, String call) {
    return wire.send(wire.request(address(call)).header("Authorization", "Bearer " + key).GET());
  }

  /** Paths of old clients stand in full. */
  private static String address(String call) {
    return call.startsWith("/") ? call : "/api/" + call;
  }
}
