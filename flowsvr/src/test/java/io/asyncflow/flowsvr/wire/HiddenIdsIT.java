package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.KeyedServer;
import io.asyncflow.flowsvr.StatementCounter;
import io.asyncflow.flowsvr.access.Names;
import io.asyncflow.flowsvr.access.Role;
import io.asyncflow.flowsvr.access.Scope;
import io.asyncflow.flowsvr.access.TestCallers;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.TestPropertySource;

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

  private static final String WORDS = "'status':8,'reason':'r','priority':1,'workerIds':[]";

  private static final List<String> OF_TASKS =
      List.of(
          "task/getTask",
          "task/getActs",
          "task/why",
          "task/history",
          "task/cancel",
          "task/retry",
          "task/pause",
          "task/resume",
          "task/setStatus",
          "task/setWorkers",
          "task/restart",
          "task/reschedule",
          "task/runNow",
          "store/list");

  private static final List<String> OF_JOBS =
      List.of(
          "job/getJob",
          "job/getJobTasks",
          "job/getJobInput",
          "job/getJobMap",
          "job/cancel",
          "job/pause",
          "job/resume",
          "job/retry");

  private static final List<String> OF_SCHEDULES =
      List.of(
          "schedule/get",
          "schedule/fires",
          "schedule/pause",
          "schedule/resume",
          "schedule/trigger",
          "schedule/delete");

  private static final String OF_OWN_TYPES = "key-of-own-types";
  private static final String OF_OWN_USERS = "key-of-own-users";

  @LocalServerPort int port;

  private Wire wire;

  /**
   * What a caller learns.
   *
   * @param text the answer without the id
   */
  private record Seen(int status, String text, long statements) {}

  @BeforeEach
  void callers() {
    wire = new Wire(port);
    Names own = Names.of(List.of("own*"));
    KeyedServer.Roles.add(
        OF_OWN_TYPES, TestCallers.of(Role.ADMIN, new Scope(own, Names.ALL, Names.ALL, "")));
    KeyedServer.Roles.add(
        OF_OWN_USERS, TestCallers.of(Role.ADMIN, new Scope(Names.ALL, Names.ALL, own, "")));
  }

  @Test
  void whatIsHiddenAnswersAsWhatIsNotThere() {
    call(KeyedServer.KEY, "task_schedule_cfg/save", "'task_type':'other'");
    String task = made("task/createTask", "'taskData':{" + data("other") + "}", "taskId");
    String job =
        made("job/createJob", "'jobData':{'userId':'u','jobType':'other','jobInput':'i'}", "jobId");
    String schedule =
        made(
            "schedule/save",
            "'scheduleData':{'name':'s','everyMs':86400000,'taskData':{" + data("other") + "}}",
            "scheduleId");

    for (String key : List.of(OF_OWN_TYPES, OF_OWN_USERS)) {
      OF_TASKS.forEach(call -> compare(key, call, "taskId", task, unknown(task)));
      OF_JOBS.forEach(call -> compare(key, call, "jobId", job, unknown(job)));
      OF_SCHEDULES.forEach(call -> compare(key, call, "scheduleId", schedule, unknown(schedule)));
    }
    assertThat(see(KeyedServer.KEY, "task/getTask", "taskId", task).statements())
        .as("statements are counted")
        .isPositive();
  }

  private static String data(String type) {
    return "'userId':'u','taskStage':'s','taskType':'" + type + "'";
  }

  /** The id of something that is not there. */
  private static String unknown(String id) {
    String number = id.replaceFirst("_.*", "");
    return Long.parseLong(number) + 7 + id.substring(number.length());
  }

  private void compare(String key, String call, String member, String hidden, String unknown) {
    Seen first = cheapest(key, call, member, hidden);
    assertThat(first).as(key + " " + call).isEqualTo(cheapest(key, call, member, unknown));
    assertThat(first.status()).as(first.text()).isEqualTo(404);
  }

  /** Now and then a call reads again what the server remembers of its tables. */
  private Seen cheapest(String key, String call, String member, String id) {
    return Stream.generate(() -> see(key, call, member, id))
        .limit(4)
        .min(Comparator.comparing(Seen::statements))
        .orElseThrow();
  }

  private Seen see(String key, String call, String member, String id) {
    StatementCounter.clear();
    Wire.Answer answer = call(key, call, "'" + member + "':'" + id + "'," + WORDS);
    String text =
        answer.http().body().replace(id, "ID").replaceFirst("\"traceId\":\"[0-9a-f]+\"", "");
    return new Seen(answer.status(), text, StatementCounter.ofThreadsLike("http-nio"));
  }

  private String made(String call, String members, String id) {
    Wire.Answer answer = call(KeyedServer.KEY, call, members);
    assertThat(answer.status()).as(answer.http().body()).isEqualTo(200);
    return answer.result().path(id).asString();
  }

  private Wire.Answer call(String key, String call, String members) {
    return wire.send(
        wire.request("/api/" + call)
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(("{" + members + "}").replace('\'', '"'))));
  }
}
