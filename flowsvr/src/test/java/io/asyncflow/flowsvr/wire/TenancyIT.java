package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.flowsvr.KeyedServer;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.Scope;
import io.asyncflow.flowsvr.edge.access.TestCallers;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Two tenants, which are prefixes of task types, send random commands about their own things and
 * about the other's. Every name of a tenant has its mark, and the ids that have none are
 * remembered, so no answer that contains either may reach the other tenant. What a tenant lists is
 * what a caller without a scope lists of it.
 */
@KeyedServer
@Timeout(300)
class TenancyIT {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int COMMANDS = 120;
  private static final int OUT_OF_SCOPE = 8073;

  /** As if it were not there, or named beyond the scope. */
  private static final Set<Integer> KEPT_OUT = Set.of(8035, 8036, 8037, 8038, 8041, OUT_OF_SCOPE);

  private static final AtomicInteger RUNS = new AtomicInteger();

  /** A user that both tenants have. */
  private static final String SHARED_USER = "shared";

  @LocalServerPort int port;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private record Answer(int status, String text, JsonNode json) {

    int code() {
      return json == null ? 0 : json.path("code").asInt(0);
    }

    JsonNode result() {
      return json.path("result");
    }
  }

  /** What a tenant has. */
  private static final class Tenant {
    /** No text of random hexadecimal digits contains it. */
    private final String mark;

    private final String key;
    private final List<String> types;
    private final List<String> tasks = new ArrayList<>();
    private final List<String> jobs = new ArrayList<>();
    private final List<String> schedules = new ArrayList<>();
    private final List<String> bulks = new ArrayList<>();
    private final Map<String, JsonNode> held = new LinkedHashMap<>();

    /** Ids without the mark, as they stand in answers. */
    private final Set<String> plainIds = new HashSet<>();

    Tenant(String mark) {
      this.mark = mark;
      this.key = "key-of-tenant-" + mark;
      this.types = List.of(mark + "_a", mark + "_b");
    }

    String worker() {
      return mark + "-worker";
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void tenantSeesNothingOfTheOther(long seed) throws Exception {
    int run = RUNS.incrementAndGet();
    Tenant ant = tenant("ant" + run);
    Tenant wasp = tenant("wasp" + run);
    Random random = new Random(seed);
    for (int i = 0; i < COMMANDS; i++) {
      Tenant caller = random.nextBoolean() ? ant : wasp;
      Tenant other = caller == ant ? wasp : ant;
      Tenant owner = random.nextInt(3) == 0 ? other : caller;
      perform(random, caller, owner, other);
    }
    compareLists(ant, wasp);
    compareLists(wasp, ant);
  }

  @Test
  void heartbeatOfACallerWithoutWorkersChangesNoWorker() throws Exception {
    Tenant cat = tenant("cat" + RUNS.incrementAndGet());
    String scoped = "key-without-a-prefix-" + cat.mark;
    Scope scope = new Scope(Names.of(List.of("dog_*")), Names.ALL, Names.ALL, "");
    KeyedServer.Roles.add(
        scoped, new Caller(Caller.Kind.OIDC, "oidc:i#" + cat.mark, Set.of(Role.ADMIN), scope));
    Map<String, Object> own = Map.of("host", "of-the-cat", "stages", List.of(cat.types.get(0)));
    Map<String, Object> foreign = Map.of("host", "of-the-dog", "stages", List.of());

    for (String key : List.of(cat.key, scoped)) {
      Map<String, Object> worker = key.equals(scoped) ? foreign : own;
      Answer answer =
          send(
              key,
              "worker/heartbeat",
              Map.of(
                  "workerId",
                  cat.worker(),
                  "startId",
                  "start-of-" + key,
                  "tasks",
                  List.of(),
                  "worker",
                  worker));
      assertThat(answer.code()).as(answer.text()).isZero();
    }

    String seen = send(cat.key, "worker/get", Map.of("workerId", cat.worker())).text();
    assertThat(seen).contains("of-the-cat").doesNotContain("of-the-dog");
  }

  private Tenant tenant(String mark) throws Exception {
    Tenant tenant = new Tenant(mark);
    Scope scope = new Scope(Names.of(List.of(mark + "_*")), Names.ALL, Names.ALL, mark + "-");
    KeyedServer.Roles.add(
        tenant.key, new Caller(Caller.Kind.KEY, "key:" + mark, Set.of(Role.ADMIN), scope));
    for (String type : tenant.types) {
      Answer saved =
          send(tenant.key, "task_schedule_cfg/save", Map.of("task_type", type, "events", 1));
      assertThat(saved.code()).as(saved.text()).isZero();
    }
    createTask(tenant, tenant);
    createJob(tenant, tenant);
    saveSchedule(tenant, tenant);
    startBulk(tenant);
    return tenant;
  }

  /** One that has nothing to do. */
  private void startBulk(Tenant tenant) throws Exception {
    Answer preview =
        send(
            tenant.key,
            "bulk/preview",
            Map.of("act", "RESUME", "filter", Map.of("taskType", tenant.types.get(0))));
    assertThat(preview.code()).as(preview.text()).isZero();
    String id = preview.result().path("bulkId").asString();
    Answer started =
        send(
            tenant.key,
            "bulk/start",
            Map.of(
                "token",
                preview.result().path("token").asString(),
                "count",
                preview.result().path("count").path("count").asInt(),
                "reason",
                tenant.mark));
    assertThat(started.code()).as(started.text()).isZero();
    tenant.bulks.add(id);
    tenant.plainIds.add(id);
  }

  /** The caller acts on something of the owner. */
  private void perform(Random random, Tenant caller, Tenant owner, Tenant other) throws Exception {
    String type = any(random, owner.types);
    String task = any(random, owner.tasks);
    String job = any(random, owner.jobs);
    String schedule = any(random, owner.schedules);
    Answer answer =
        switch (random.nextInt(46)) {
          case 0, 1, 2 -> createTask(caller, owner);
          case 3 -> createJob(caller, owner);
          case 4 -> saveSchedule(caller, owner);
          case 5, 6, 7 -> hold(caller, owner, type);
          case 8, 9 -> report(caller, owner, random);
          case 10 -> beat(caller, owner);
          case 11 -> send(caller.key, "task/getTask", Map.of("taskId", task));
          case 12 -> send(caller.key, "task/cancel", Map.of("taskId", task));
          case 13 -> send(caller.key, "task/pause", Map.of("taskId", task));
          case 14 -> send(caller.key, "task/resume", Map.of("taskId", task));
          case 15 ->
              send(
                  caller.key,
                  "task/setStatus",
                  Map.of("taskId", task, "status", 8, "reason", "as it is"));
          case 16 -> send(caller.key, "task/getActs", Map.of("taskId", task));
          case 17 -> send(caller.key, "task/getTaskList", Map.of("taskType", type));
          case 18 -> send(caller.key, "job/getJob", Map.of("jobId", job));
          case 19 -> send(caller.key, "job/getJobTasks", Map.of("jobId", job));
          case 20 -> send(caller.key, "job/cancel", Map.of("jobId", job));
          case 21 -> send(caller.key, "job/getJobInput", Map.of("jobId", job));
          case 22 -> send(caller.key, "schedule/get", Map.of("scheduleId", schedule));
          case 23 -> send(caller.key, "schedule/fires", Map.of("scheduleId", schedule));
          case 24 -> send(caller.key, "schedule/pause", Map.of("scheduleId", schedule));
          case 25 ->
              send(
                  caller.key,
                  "pause/set",
                  Map.of("kind", "STAGE", "name", type + "/bill", "reason", caller.mark));
          case 26 -> send(caller.key, "task_schedule_cfg/tables", Map.of("taskType", type));
          case 27 ->
              send(
                  caller.key,
                  "task_schedule_cfg/save",
                  Map.of("task_type", type, "max_executing", 100));
          case 28 ->
              send(
                  caller.key, "pause/set", Map.of("kind", "WORKER", "name", owner.worker() + "-2"));
          case 29 -> send(caller.key, "task/restart", Map.of("taskId", task));
          case 30 -> send(caller.key, "task/retry", Map.of("taskId", task));
          case 31 -> send(caller.key, "job/retry", Map.of("jobId", job));
          case 32 -> send(caller.key, "schedule/resume", Map.of("scheduleId", schedule));
          case 33 -> send(caller.key, "task/search", Map.of("taskType", type));
          case 34 -> send(caller.key, "task/running", Map.of("taskType", type));
          case 35 -> send(caller.key, "task/why", Map.of("taskId", task));
          case 36 -> send(caller.key, "task/history", Map.of("taskId", task));
          case 37 -> send(caller.key, "task/reschedule", Map.of("taskId", task, "priority", 1));
          case 38 -> send(caller.key, "task/runNow", Map.of("taskId", task));
          case 39 -> send(caller.key, "job/getJobMap", Map.of("jobId", job));
          case 40 -> send(caller.key, "store/list", Map.of("taskId", task));
          case 41 -> send(caller.key, "worker/get", Map.of("workerId", owner.worker()));
          case 42 ->
              send(
                  caller.key,
                  "bulk/preview",
                  Map.of("act", "RETRY", "filter", Map.of("taskType", type)));
          case 43 -> send(caller.key, "bulk/get", Map.of("bulkId", any(random, owner.bulks)));
          case 44 -> send(caller.key, "bulk/stop", Map.of("bulkId", any(random, owner.bulks)));
          default ->
              send(caller.key, "task/setWorkers", Map.of("taskId", task, "workerIds", List.of()));
        };
    assertHidden(answer, other);
    if (owner != caller) {
      assertThat(KEPT_OUT).as(answer.text()).contains(codeOf(answer));
    }
  }

  private static int codeOf(Answer answer) {
    JsonNode outcomes = answer.json() == null ? null : answer.result().path("outcomes");
    if (outcomes != null && outcomes.isArray() && !outcomes.isEmpty()) {
      return outcomes.get(0).path("code").asInt(0);
    }
    JsonNode states = answer.json() == null ? null : answer.result().path("tasks");
    return states != null && states.isArray() && !states.isEmpty()
        ? states.get(0).path("state").asString("").equals("LOST") ? 8035 : 0
        : answer.code();
  }

  /** An answer may repeat what its caller sent, but then it is a refusal. */
  private static void assertHidden(Answer answer, Tenant other) {
    if (answer.code() == 0 && answer.json() != null) {
      for (String id : other.plainIds) {
        assertThat(answer.text()).doesNotContain("\"" + id + "\"");
      }
      if (answer.result().path("outcomes").isMissingNode()
          && answer.result().path("tasks").isMissingNode()) {
        assertThat(answer.text()).doesNotContain(other.mark);
      }
    }
  }

  private Answer createTask(Tenant caller, Tenant owner) throws Exception {
    Answer answer =
        send(
            caller.key,
            "task/createTask",
            Map.of("taskData", data(owner.types.get(0), SHARED_USER, "taskContext", caller.mark)));
    if (answer.code() == 0) {
      owner.tasks.add(answer.result().path("taskId").asString());
    }
    return answer;
  }

  private Answer createJob(Tenant caller, Tenant owner) throws Exception {
    Answer answer =
        send(
            caller.key,
            "job/createJob",
            Map.of(
                "jobData",
                Map.of(
                    "jobType",
                    caller.types.get(0),
                    "childType",
                    owner.types.get(1),
                    "userId",
                    SHARED_USER,
                    "jobInput",
                    caller.mark)));
    if (answer.code() == 0) {
      String id = answer.result().path("jobId").asString();
      owner.jobs.add(id);
      owner.plainIds.add(id);
    }
    return answer;
  }

  private Answer saveSchedule(Tenant caller, Tenant owner) throws Exception {
    Answer answer =
        send(
            caller.key,
            "schedule/save",
            Map.of(
                "scheduleData",
                Map.of(
                    "name",
                    owner.mark + " " + (caller == owner ? owner.schedules.size() / 2 : 0),
                    "everyMs",
                    86_400_000,
                    "taskData",
                    data(caller.types.get(0), SHARED_USER, "taskContext", caller.mark))));
    if (answer.code() == 0) {
      String id = answer.result().path("scheduleId").asString();
      owner.schedules.add(id);
      owner.plainIds.add(id);
    }
    return answer;
  }

  private Answer hold(Tenant caller, Tenant owner, String type) throws Exception {
    Answer answer =
        send(
            caller.key,
            "task/hold_task",
            Map.of("taskType", type, "workerId", owner.worker(), "limit", 2));
    if (answer.code() == 0) {
      answer
          .result()
          .path("taskList")
          .forEach(task -> owner.held.put(task.path("taskId").asString(), task));
    }
    return answer;
  }

  private Answer report(Tenant caller, Tenant owner, Random random) throws Exception {
    if (owner.held.isEmpty()) {
      return send(caller.key, "task_schedule_cfg/tables", Map.of("taskType", owner.types.get(0)));
    }
    String task = any(random, List.copyOf(owner.held.keySet()));
    int epoch = owner.held.get(task).path("leaseEpoch").asInt();
    Map<String, Object> report = new HashMap<>();
    report.put("taskId", task);
    report.put("workerId", owner.worker());
    report.put("leaseEpoch", epoch);
    report.put("outcome", "SUCCESS");
    report.put("result", caller.mark);
    return random.nextBoolean()
        ? send(caller.key, "task/set_task", report)
        : send(caller.key, "task/set_tasks", Map.of("reports", List.of(report)));
  }

  private Answer beat(Tenant caller, Tenant owner) throws Exception {
    List<Map<String, Object>> tasks = new ArrayList<>();
    owner.held.forEach(
        (id, task) ->
            tasks.add(Map.of("taskId", id, "leaseEpoch", task.path("leaseEpoch").asInt())));
    return send(
        caller.key,
        "worker/heartbeat",
        Map.of(
            "workerId",
            owner.worker(),
            "tasks",
            tasks,
            "worker",
            Map.of("stages", List.of(owner.types.get(0) + "/render"))));
  }

  /** Each list of the tenant is the list of a caller without a scope, less what is not its own. */
  private void compareLists(Tenant tenant, Tenant other) throws Exception {
    Map<String, Object> nothing = Map.of();
    Map<String, Object> many = Map.of("limit", 1_000);
    compare(tenant, other, "task_schedule_cfg/list", nothing, "scheduleCfgList", "task_type");
    compare(
        tenant,
        other,
        "task/getTaskList",
        Map.of("taskType", tenant.types.get(0), "limit", 1_000),
        "taskList",
        "taskId");
    compare(
        tenant,
        other,
        "task/getUserTaskList",
        Map.of("userId", SHARED_USER, "limit", 1_000),
        "taskList",
        "taskId");
    compare(tenant, other, "job/getJobList", many, "jobList", "jobType");
    compare(
        tenant,
        other,
        "job/getJobList",
        Map.of("userId", SHARED_USER, "limit", 1_000),
        "jobList",
        "jobType");
    compare(tenant, other, "schedule/list", many, "scheduleList", "name");
    compare(tenant, other, "worker/list", many, "workerList", "workerId");
    beat(tenant, tenant);
    assertThat(send(tenant.key, "worker/get", Map.of("workerId", tenant.worker())).code()).isZero();
    assertThat(send(tenant.key, "worker/get", Map.of("workerId", other.worker())).code())
        .isEqualTo(send(tenant.key, "worker/get", Map.of("workerId", "no-such-worker")).code())
        .isNotZero();
    compare(tenant, other, "pause/list", many, "pauseList", "name");
    compare(tenant, other, "hook/list", nothing, "hookList", "name");
    compareNumbers(tenant, other);
    compareCounts(tenant);
    assertThat(send(tenant.key, "governance/status", nothing).code()).isEqualTo(OUT_OF_SCOPE);
    assertThat(send(tenant.key, "schedule/slices", nothing).code()).isEqualTo(OUT_OF_SCOPE);
    assertThat(get(tenant.key, "/actuator/prometheus").status()).isEqualTo(403);
    compareEvents(tenant, other);
  }

  private void compare(
      Tenant tenant,
      Tenant other,
      String call,
      Map<String, Object> request,
      String list,
      String owner)
      throws Exception {
    Answer own = send(tenant.key, call, request);
    Answer whole = send(KeyedServer.KEY, call, request);
    assertThat(own.code()).as(own.text()).isZero();
    assertHidden(own, other);
    assertThat(elements(own.result().path(list), owner, tenant.mark))
        .as(call)
        .hasSameSizeAs(own.result().path(list))
        .isEqualTo(elements(whole.result().path(list), owner, tenant.mark));
  }

  /** The identifying members of the tenant's elements, in their order. */
  private static List<String> elements(JsonNode list, String owner, String mark) {
    List<String> found = new ArrayList<>();
    for (JsonNode element : list) {
      if (element.path(owner).asString("").contains(mark)) {
        found.add(
            element.path(owner).asString("")
                + " "
                + element.path("jobId").asString("")
                + " "
                + element.path("scheduleId").asString(""));
      }
    }
    return found;
  }

  /** Numbers are those of the tenant's types, and of all of their users. */
  private void compareNumbers(Tenant tenant, Tenant other) throws Exception {
    Map<String, Object> ofOther = Map.of("taskType", other.types.get(0));
    for (String call : List.of("stats/overview", "stats/failures", "meta")) {
      Answer own = send(tenant.key, call, Map.of());
      assertThat(own.code()).as(own.text()).isZero();
      assertHidden(own, other);
    }
    for (String call : List.of("stats/stages", "stats/series")) {
      Answer own = send(tenant.key, call, Map.of("taskType", tenant.types.get(0)));
      assertThat(own.code()).as(own.text()).isZero();
      assertHidden(own, other);
    }
    for (String call : List.of("stats/stages", "stats/series", "stats/failures")) {
      assertThat(send(tenant.key, call, ofOther).code()).as(call).isEqualTo(OUT_OF_SCOPE);
    }
    Scope someUsers =
        new Scope(Names.ALL, Names.ALL, Names.of(List.of(tenant.mark + "/*")), tenant.mark);
    String key = tenant.key + "-of-users";
    KeyedServer.Roles.add(key, TestCallers.of(Role.READER, someUsers));
    for (String call :
        List.of("stats/overview", "stats/stages", "stats/series", "stats/failures")) {
      assertThat(send(key, call, Map.of("taskType", tenant.types.get(0))).code())
          .as("the numbers are those of all users: " + call)
          .isEqualTo(OUT_OF_SCOPE);
    }
    assertThat(send(key, "meta", Map.of()).code()).isZero();
  }

  /** What is counted of its types is what a caller without a scope sees of them. */
  private void compareCounts(Tenant tenant) {
    await() // counts are kept for some seconds
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              List<String> own = counts(tenant.key, tenant);
              assertThat(own).hasSameSizeAs(tenant.types);
              assertThat(own).isEqualTo(counts(KeyedServer.KEY, tenant));
            });
  }

  private List<String> counts(String key, Tenant tenant) throws Exception {
    List<String> found = new ArrayList<>();
    for (JsonNode type : send(key, "stats/overview", Map.of()).result().path("types")) {
      if (tenant.types.contains(type.path("taskType").asString())) {
        found.add(
            Stream.of("taskType", "due", "executing", "lastHour", "lastDay")
                .map(member -> type.path(member).toString())
                .toList()
                .toString());
      }
    }
    return found;
  }

  private void compareEvents(Tenant tenant, Tenant other) throws Exception {
    Answer events = send(tenant.key, "event/list", Map.of("cursor", firstCursor(), "limit", 1_000));
    assertThat(events.code()).as(events.text()).isZero();
    assertHidden(events, other);
    assertThat(events.result().path("eventList")).isNotEmpty();
    Answer refused =
        send(tenant.key, "event/list", Map.of("taskTypes", List.of(other.types.get(0))));
    assertThat(refused.code()).isEqualTo(OUT_OF_SCOPE);
  }

  /** The oldest cursor is named by the refusal of an older one. */
  private String firstCursor() throws Exception {
    String text = send(KeyedServer.KEY, "event/list", Map.of("cursor", "0")).text();
    return text.replaceFirst("(?s).*the oldest cursor is (\\d+).*", "$1");
  }

  /** A type that a tenant shares with others: its users are its own. */
  @Test
  void callerOfSomeUsersSeesNothingOfOtherUsers() throws Exception {
    String type = "users" + RUNS.incrementAndGet();
    send(KeyedServer.KEY, "task_schedule_cfg/save", Map.of("task_type", type));
    String key = "key-of-users-" + type;
    Scope scope = new Scope(Names.ALL, Names.ALL, Names.of(List.of("eva", "team-*")), "");
    KeyedServer.Roles.add(key, TestCallers.of(Role.SUBMITTER, scope));

    String foreign = create(KeyedServer.KEY, type, "adam", "k1").result().path("taskId").asString();
    String own = create(key, type, "team-9", "k2").result().path("taskId").asString();
    String ofEva = create(KeyedServer.KEY, type, "eva", "k3").result().path("taskId").asString();

    assertThat(create(key, type, "adam", "k4").code()).isEqualTo(OUT_OF_SCOPE);
    assertThat(create(key, type, "eva", "k1").code()).as("a key of another user").isEqualTo(8052);
    assertThat(createMany(key, type, "eva", "k1", "REPLACE").code()).isEqualTo(8052);
    assertThat(createMany(key, type, "eva", "k3", "KEEP").code()).isZero();
    assertThat(send(key, "task/getTask", Map.of("taskId", foreign)).code()).isEqualTo(8035);
    assertThat(send(key, "task/getTask", Map.of("taskType", type, "idempotencyKey", "k1")).code())
        .isEqualTo(8035);
    assertThat(send(key, "task/getTask", Map.of("taskId", ofEva)).code()).isZero();
    assertThat(send(key, "task/cancel", Map.of("taskId", foreign)).code()).isEqualTo(8035);
    assertThat(send(key, "task/getUserTaskList", Map.of("userId", "adam")).code())
        .isEqualTo(OUT_OF_SCOPE);
    Answer list = send(key, "task/getTaskList", Map.of("taskType", type));
    List<String> ids = new ArrayList<>();
    list.result().path("taskList").forEach(task -> ids.add(task.path("taskId").asString()));
    assertThat(ids).containsExactly(ofEva, own);
  }

  private Answer createMany(
      String key, String type, String user, String idempotencyKey, String onDuplicate)
      throws Exception {
    return send(
        key,
        "task/createTasks",
        Map.of(
            "taskDataList",
            List.of(
                data(type, user, "idempotencyKey", idempotencyKey, "onDuplicate", onDuplicate))));
  }

  @Test
  void whatStopsTheTasksOfAllUsersNeedsAllUsers() throws Exception {
    String type = "all_users" + RUNS.incrementAndGet();
    send(KeyedServer.KEY, "task_schedule_cfg/save", Map.of("task_type", type));
    String key = "key-of-some-users-" + type;
    KeyedServer.Roles.add(
        key,
        TestCallers.of(Role.ADMIN, new Scope(Names.ALL, Names.ALL, Names.of(List.of("eva")), "")));
    String stages = "key-of-some-stages-" + type;
    KeyedServer.Roles.add(
        stages,
        TestCallers.of(
            Role.OPERATOR, new Scope(Names.ALL, Names.of(List.of("render")), Names.ALL, "")));

    Map<String, Object> pause = Map.of("kind", "TYPE", "name", type);
    assertOutOfScope("user", send(key, "pause/set", pause));
    assertOutOfScope("user", send(key, "pause/clear", pause));
    Map<String, Object> stagePause = Map.of("kind", "STAGE", "name", type + "/bill");
    assertOutOfScope("user", send(key, "pause/set", stagePause));
    assertOutOfScope(
        "user", send(key, "task_schedule_cfg/save", Map.of("task_type", type, "max_executing", 1)));
    assertOutOfScope("user", send(key, "task_schedule_cfg/roll", Map.of("taskType", type)));
    assertOutOfScope(
        "user",
        send(key, "task_schedule_cfg/clean", Map.of("taskType", type, "table", "t_" + type)));
    assertThat(send(key, "task_schedule_cfg/tables", Map.of("taskType", type)).code()).isZero();

    assertOutOfScope("stage", send(stages, "pause/set", stagePause));
    assertOutOfScope("stage", send(stages, "pause/set", pause));
    Map<String, Object> own = Map.of("kind", "STAGE", "name", type + "/render");
    assertThat(send(stages, "pause/set", own).code()).isZero();
    assertThat(send(stages, "pause/clear", own).code()).isZero();
  }

  private static void assertOutOfScope(String kind, Answer answer) {
    assertThat(answer.code()).as(answer.text()).isEqualTo(OUT_OF_SCOPE);
    assertThat(answer.json().path("scope").asString()).isEqualTo(kind);
  }

  private Answer create(String key, String type, String user, String idempotencyKey)
      throws Exception {
    return send(
        key,
        "task/createTask",
        Map.of("taskData", data(type, user, "idempotencyKey", idempotencyKey)));
  }

  @Test
  void workerHoldsAndReportsItsStagesUnderItsPrefixAlone() throws Exception {
    String type = "stages" + RUNS.incrementAndGet();
    send(KeyedServer.KEY, "task_schedule_cfg/save", Map.of("task_type", type));
    String key = "key-of-stages-" + type;
    Scope scope =
        new Scope(Names.of(List.of(type)), Names.of(List.of("render")), Names.ALL, "gpu-");
    KeyedServer.Roles.add(key, TestCallers.of(Role.WORKER, scope));
    create(KeyedServer.KEY, type, "eva", "render");
    String foreign =
        send(
                KeyedServer.KEY,
                "task/createTask",
                Map.of("taskData", Map.of("taskType", type, "taskStage", "bill", "userId", "eva")))
            .result()
            .path("taskId")
            .asString();

    assertThat(hold(key, type, "cpu-1", List.of()).json().path("scope").asString())
        .isEqualTo("worker");
    assertThat(hold(key, type, "gpu-1", List.of("bill")).json().path("scope").asString())
        .isEqualTo("stage");
    JsonNode held = hold(key, type, "gpu-1", List.of()).result().path("taskList");
    assertThat(held).hasSize(1);
    assertThat(held.get(0).path("taskStage").asString()).isEqualTo("render");

    JsonNode taken =
        hold(KeyedServer.KEY, type, "gpu-2", List.of("bill")).result().path("taskList").get(0);
    Map<String, Object> forged =
        Map.of(
            "taskId",
            foreign,
            "workerId",
            "gpu-2",
            "leaseEpoch",
            taken.path("leaseEpoch").asInt(),
            "outcome",
            "SUCCESS");
    Answer refused = send(key, "task/set_task", forged);
    assertThat(refused.code()).isEqualTo(OUT_OF_SCOPE);
    assertThat(refused.json().path("scope").asString()).isEqualTo("stage");
    assertThat(
            send(key, "task/set_tasks", Map.of("reports", List.of(forged)))
                .result()
                .path("outcomes")
                .get(0)
                .path("code")
                .asInt())
        .isEqualTo(OUT_OF_SCOPE);
    Map<String, Object> update = Map.of("taskId", foreign, "status", 4);
    assertThat(send(key, "task/set_task", update).json().path("scope").asString())
        .as("as old clients update")
        .isEqualTo("stage");
    assertThat(send(KeyedServer.KEY, "task/set_task", forged).code()).isZero();
  }

  private Answer hold(String key, String type, String worker, List<String> stages)
      throws Exception {
    return send(
        key,
        "task/hold_task",
        Map.of("taskType", type, "workerId", worker, "stages", stages, "limit", 10));
  }

  @Test
  void readerSeesNoContents() throws Exception {
    String type = "contents" + RUNS.incrementAndGet();
    send(KeyedServer.KEY, "task_schedule_cfg/save", Map.of("task_type", type));
    String task =
        send(
                KeyedServer.KEY,
                "task/createTask",
                Map.of(
                    "taskData",
                    data(
                        type,
                        "eva",
                        "taskContext",
                        "very private",
                        "scheduleLog",
                        "{\"by\":\"AKIAIOSFODNN7EXAMPLE\"}")))
            .result()
            .path("taskId")
            .asString();
    send(
        KeyedServer.KEY,
        "schedule/save",
        Map.of(
            "scheduleData",
            Map.of(
                "name",
                type,
                "everyMs",
                86_400_000,
                "taskData",
                data(type, "eva", "taskContext", "very private"))));

    assertThat(send(KeyedServer.KEY, "task/getTask", Map.of("taskId", task)).text())
        .contains("very private", "‹redacted›")
        .doesNotContain("AKIAIOSFODNN7EXAMPLE");
    for (Role role : List.of(Role.READER, Role.OPERATOR)) {
      String key = KeyedServer.Roles.keyOf(role);
      for (Answer answer :
          List.of(
              send(key, "task/getTask", Map.of("taskId", task)),
              send(key, "task/getTaskList", Map.of("taskType", type)),
              send(key, "schedule/get", Map.of("name", type)),
              send(key, "schedule/list", Map.of("taskType", type)))) {
        assertThat(answer.code()).as(answer.text()).isZero();
        assertThat(answer.text())
            .contains(type)
            .doesNotContain("very private", "taskContext", "scheduleLog");
      }
    }
  }

  /**
   * A task to be created.
   *
   * @param more names and values of its other fields
   */
  private static Map<String, Object> data(String type, String user, String... more) {
    Map<String, Object> data = new HashMap<>();
    data.put("taskType", type);
    data.put("taskStage", "render");
    data.put("userId", user);
    for (int i = 0; i < more.length; i += 2) {
      data.put(more[i], more[i + 1]);
    }
    return data;
  }

  private static <T> T any(Random random, List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private Answer send(String key, String call, Map<String, ?> body) throws Exception {
    return answer(
        request(key, "/api/" + call)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(JSON.writeValueAsString(body)))
            .build());
  }

  private Answer get(String key, String path) throws Exception {
    return answer(request(key, path).build());
  }

  private HttpRequest.Builder request(String key, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .header("Authorization", "Bearer " + key);
  }

  private Answer answer(HttpRequest request) throws IOException, InterruptedException {
    var response = http.send(request, BodyHandlers.ofString());
    String text = response.body();
    assertThat(response.statusCode()).as(text).isLessThan(500);
    return new Answer(
        response.statusCode(), text, text.startsWith("{") ? JSON.readTree(text) : null);
  }
}
