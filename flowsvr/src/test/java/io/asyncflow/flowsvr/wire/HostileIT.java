package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/**
 * What strangers, fools and broken clients send: each request is refused with a code and a trace
 * id, soon, and leaves the database as it was.
 */
@RunningServer
class HostileIT {

  private static final Logger log = LoggerFactory.getLogger(HostileIT.class);
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Set<Integer> CODES =
      Set.of(8020, 8021, 8035, 8039, 8040, 8042, 8050, 8051, 8052, 8060);
  private static final String TYPE = "hostile";

  /** Alone on its machine no request takes a second; on a busy one a few may. */
  private static final long TOO_SLOW_MS = 3_000;

  private static final String NOT_FOUND_ID = "1_hostile_task_1";

  @LocalServerPort int port;
  @Autowired JdbcClient jdbc;

  private final List<Attack> attacks = new ArrayList<>();
  private Wire wire;
  private String waiting;
  private String held;
  private String done;

  /** A request and its answer as text: status line first, JSON at the end. */
  private record Attack(String name, Supplier<Reply> send) {}

  private record Reply(int status, String body, String traceHeader) {}

  @Test
  void hostileRequestsAreRefusedAtOnceAndChangeNothing() {
    wire = new Wire(port);
    prepareTasks();
    types();
    ids();
    values();
    bodies();
    queries();
    reports();
    routes();
    rawBytes();
    everyEndpoint();
    lists();
    keys();
    otherDialects();
    assertThat(attacks.stream().map(Attack::name).distinct()).hasSizeGreaterThan(800);
    warmUp();
    Map<String, Object> before = everythingInTheDatabase();

    List<String> failures = new ArrayList<>();
    long slowest = 0;
    for (Attack attack : attacks) {
      long begin = System.nanoTime();
      Reply reply = attack.send.get();
      long ms = (System.nanoTime() - begin) / 1_000_000;
      if (ms > TOO_SLOW_MS || reply.status == 429) { // the machine was busy; nothing was changed
        begin = System.nanoTime();
        reply = attack.send.get();
        ms = (System.nanoTime() - begin) / 1_000_000;
      }
      slowest = Math.max(slowest, ms);
      String fault = faultIn(reply, ms);
      if (fault != null) {
        failures.add(attack.name + ": " + fault + " [" + reply.status + " " + reply.body + "]");
      }
    }

    log.info("{} hostile requests, the slowest took {} ms", attacks.size(), slowest);
    assertThat(failures).isEmpty();
    assertThat(everythingInTheDatabase()).isEqualTo(before);
  }

  private static String faultIn(Reply reply, long ms) {
    if (reply.status < 400 || reply.status >= 500) {
      return "no 4xx";
    }
    if (ms > TOO_SLOW_MS) {
      return "took " + ms + " ms";
    }
    if (reply.body.isEmpty()) {
      return "no body";
    }
    var body = JSON.readTree(reply.body);
    if (!CODES.contains(body.path("code").asInt())) {
      return "no code of the table";
    }
    if (!body.path("traceId").asString("").matches("[0-9a-f]{32}")
        || !body.path("traceId").asString().equals(reply.traceHeader)) {
      return "no trace id";
    }
    return body.path("msg").asString("").isEmpty() ? "no message" : null;
  }

  // ---- names of types

  private void types() {
    for (String name :
        List.of(
            "",
            " ",
            "lark; DROP TABLE t_schedule_cfg",
            "lark' OR '1'='1",
            "lark\" OR \"\"=\"",
            "lark`",
            "lark--",
            "../../etc/passwd",
            "..\\..\\windows",
            "/etc/passwd",
            "lark%00",
            "lark\u0000",
            "lark\n",
            "la rk",
            "1lark",
            "_lark",
            "ſark",
            "lаrk", // a Cyrillic letter
            "İstanbul",
            "lar\u212A", // the Kelvin sign, a k in lower case
            "lark\u001b[2J",
            "lark\u0085",
            "lark\u2028",
            "flow_webhook",
            "Flow_x",
            "x_task",
            "x_task_1",
            "x_task_999999999999",
            "hostile_task_1",
            "a".repeat(32),
            "a".repeat(100_000),
            "${jndi:ldap://127.0.0.1/a}",
            "#{T(java.lang.Runtime).getRuntime().exec('id')}",
            "<script>alert(1)</script>",
            "😀")) {
      String shown = shown(name);
      post("create type " + shown, "/api/task/createTask", newTask("taskType", name));
      post("save type " + shown, "/api/task_schedule_cfg/save", json(Map.of("task_type", name)));
      post("pause " + shown, "/api/pause/set", json(Map.of("kind", "TYPE", "name", name)));
      post(
          "pause of " + shown,
          "/api/pause/set",
          json(Map.of("kind", "STAGE", "name", name + "/a")));
      post("clear " + shown, "/api/pause/clear", json(Map.of("kind", name, "name", "hostile")));
      get("hold type " + shown, "/api/task/hold_task?taskType=" + encoded(name));
    }
    get("list type", "/api/task/getTaskList?taskType=" + encoded("t_schedule_cfg WHERE 1=1"));
    get("unknown type", "/api/task/getTaskList?taskType=information_schema");
    for (String q :
        List.of(
            "type:information_schema",
            "error:x",
            "foo:1 OR 1=1",
            "status:failed' --",
            "type:\"",
            "age>1000000000000h",
            "created:2026-99-99",
            "job:1,2",
            "id:1_x_task_0",
            "worker:*",
            "stage:"
                + IntStream.range(0, 101).mapToObj(i -> "s" + i).collect(Collectors.joining(",")),
            "a ".repeat(60),
            "x".repeat(1_001),
            "text:\u0000")) {
      post("search for " + shown(q), "/api/task/search", json(Map.of("q", q)));
    }
    get("search for an unknown type", "/api/task/search?taskType=information_schema");
    get("search in another order", "/api/task/search?order=due");
    get("search from a bad cursor", "/api/task/search?cursor=N1_99999999999999999999");
    get("search by a bad status", "/api/task/search?status=3x");
    get("running tasks of an unknown type", "/api/task/running?taskType=information_schema");
    get("map of no job", "/api/job/getJobMap?jobId=9&count=5001");
    get("system table as type", "/api/task/hold_task?taskType=schedule_cfg&waitMs=30000");
    post("types and more types", "/api/task/createTask", newTask("taskType", List.of("a", "b")));
    post("type as object", "/api/task/createTask", newTask("taskType", Map.of("$ne", "")));
  }

  // ---- ids

  private void ids() {
    for (String id :
        List.of(
            "",
            "0",
            "-1",
            "hostile",
            "_hostile_task_1",
            "1_hostile_task_",
            "1_hostile_task_0",
            "1_hostile_task_-1",
            "1_hostile_task_01",
            "01_hostile_task_1",
            "1_hostile_task_1 ",
            "1_hostile_task_1\n",
            "1_hostile_task_1; DROP TABLE t_hostile_task_1",
            "1_hostile_task_1' OR '1'='1",
            "1 OR 1=1_hostile_task_1",
            "1_hostile`_task_1",
            "1_../../x_task_1",
            "1_HOSTILE_task_1",
            "1_hostile_task_1_task_1",
            "1_hostile_task_99999999999",
            "99999999999999999999_hostile_task_1",
            "9223372036854775808_hostile_task_1",
            "9223372036854775807_hostile_task_1",
            "1_hostile_task_2",
            "1_hostile_task_999999999",
            "1_t_schedule_cfg_task_1",
            "1_mysql_task_1",
            "1_nobody_task_1",
            NOT_FOUND_ID,
            "9".repeat(100_000),
            "1_hostile_task_1\u0000",
            "١_hostile_task_1")) {
      String shown = shown(id);
      post("get " + shown, "/api/task/getTask", json(Map.of("taskId", id)));
      post("update " + shown, "/api/task/set_task", json(Map.of("taskId", id, "status", 4)));
      post("pause " + shown, "/api/task/pause", json(Map.of("taskId", id)));
      post("resume " + shown, "/api/task/resume", json(Map.of("taskId", id)));
      post("report " + shown, "/api/task/set_task", report(id, "w1", 1, "SUCCESS"));
    }
  }

  // ---- values of wrong types and sizes

  private void values() {
    for (Map.Entry<String, List<?>> field :
        Map.<String, List<?>>of(
                "userId", List.of("", "x".repeat(129), true, 1.5, List.of(), Map.of(), "a\u0000b"),
                "taskStage", List.of("", "x".repeat(65), " s", "s\n", Map.of()),
                "priority", List.of(-1, 31_536_001, "x", 1.5, true, List.of(), 1e300),
                "delayMs", List.of(-1, "1h", 1L << 62, 0.1),
                "runAt", List.of(-1, Long.MAX_VALUE, "tomorrow"),
                "maxRetryNum", List.of(-1, 1 << 30),
                "maxRetryInterval", List.of(-1, 1L << 40),
                "maxUnexpectedRetries", List.of(-1, 10_001, "x"),
                "idempotencyKey", List.of("", "k".repeat(129), "ключ", "k\u0007", 1.5))
            .entrySet()) {
      for (Object value : field.getValue()) {
        post(
            field.getKey() + " " + shown(String.valueOf(value)),
            "/api/task/createTask",
            newTask(field.getKey(), value));
      }
    }
    for (Map.Entry<String, List<?>> option :
        Map.<String, List<?>>of(
                "onDuplicate", List.of("", "same", "DROP", 1, true, List.of("KEEP"), Map.of()),
                "keyMs", List.of(-1, 0, 999, 2_592_000_001L, 1L << 62, "1h", 1.5, List.of()),
                "keyUntilDone", List.of(-1, 2, true, "yes", List.of(1)))
            .entrySet()) {
      for (Object value : option.getValue()) {
        Map<String, Object> task = new TreeMap<>();
        task.put("userId", "u");
        task.put("taskType", TYPE);
        task.put("taskStage", "s");
        task.put("idempotencyKey", "hostile");
        task.put(option.getKey(), value);
        post(
            option.getKey() + " " + shown(String.valueOf(value)),
            "/api/task/createTask",
            json(Map.of("taskData", task)));
      }
      post(
          option.getKey() + " without a key",
          "/api/task/createTask",
          newTask(option.getKey(), "onDuplicate".equals(option.getKey()) ? "KEEP" : 1));
    }
    post("context too large", "/api/task/createTask", newTask("taskContext", "é".repeat(2_049)));
    post("context as object", "/api/task/createTask", newTask("taskContext", Map.of("a", 1)));
    post("log too large", "/api/task/createTask", newTask("scheduleLog", "x".repeat(65_536)));
    post("lone surrogate", "/api/task/createTask", "{\"taskData\":{\"userId\":\"\\ud800\"}}");
    post(
        "delay and moment",
        "/api/task/createTask",
        "{'taskData':{'userId':'u','taskType':'hostile','taskStage':'s','delayMs':1,'runAt':1}}");
    for (Object version : List.of(-1, "x", 1.5, true, 1L << 40)) {
      post(
          "worker version " + version,
          "/api/task/hold_task",
          "{'taskType':'hostile','workerVersion':" + JSON.writeValueAsString(version) + "}");
    }
    for (Object window : List.of(0, -1, 100_001, "x", 1.5, true, 1e300, List.of(1))) {
      post(
          "window " + window,
          "/api/job/createJob",
          "{'jobData':{'userId':'u','jobType':'hostile','window':"
              + JSON.writeValueAsString(window)
              + "}}");
    }
    for (String team :
        List.of(
            "1",
            "[]",
            "{}",
            "{'workers':-1,'taskStage':'s'}",
            "{'workers':1001,'taskStage':'s'}",
            "{'workers':1.5,'taskStage':'s'}",
            "{'workers':0,'taskStage':'s'}",
            "{'workers':1,'taskStage':'merge'}",
            "{'workers':1,'taskStage':'s','maxMoves':-1}",
            "{'workers':1,'taskStage':'s','workerIds':[]}",
            "{'workers':2,'taskStage':'s','workerIds':['w','w']}",
            "{'workers':1,'taskStage':'s','taskContext':{}}")) {
      post("team " + team, "/api/job/createJob", jobWith("'team':" + team));
    }
    post("team and children", "/api/job/createJob", jobWith("'team':{},'children':[]"));
    for (String children : List.of("[]", "{}", "[{}]", "['s']", "[{'taskStage':'split'}]")) {
      post("children " + children, "/api/job/createJob", jobWith("'children':" + children));
    }
    post(
        "1001 children",
        "/api/job/createJob",
        jobWith(
            "'children':["
                + String.join(",", Collections.nCopies(1_001, "{'taskStage':'s'}"))
                + "]"));
    for (String merge : List.of("1", "'yes'", "[]", "{}")) {
      post("merge " + merge, "/api/job/createJob", jobWith("'merge':" + merge));
    }
    post("no tasks", "/api/task/createTasks", "{'taskDataList':[]}");
    post("tasks of nothing", "/api/task/createTasks", "{'taskDataList':[null,1,'x',[]]}");
    post("task list as object", "/api/task/createTasks", "{'taskDataList':{}}");
    String good = "{'userId':'u','taskType':'hostile','taskStage':'s'}";
    post(
        "1001 tasks",
        "/api/task/createTasks",
        "{'taskDataList':[" + String.join(",", Collections.nCopies(1_001, good)) + "]}");
    post(
        "999 good tasks and a bad one",
        "/api/task/createTasks",
        "{'taskDataList':[" + (good + ",").repeat(999) + "{'userId':'u'}]}");
    post(
        "999 good tasks and one of an unknown type",
        "/api/task/createTasks",
        "{'taskDataList':["
            + (good + ",").repeat(999)
            + good.replace("hostile", "unknowntype")
            + "]}");
    for (String field :
        List.of(
            "schedule_limit",
            "max_processing_time",
            "max_unexpected_retries",
            "lease_seconds",
            "max_delivery",
            "roll_threshold",
            "user_rate_limit",
            "min_worker_version",
            "paused",
            "events")) {
      for (Object value : List.of(-1, 1e18, "x", true, List.of(1))) {
        post(
            "save " + field + " " + value,
            "/api/task_schedule_cfg/save",
            json(Map.of("task_type", TYPE, field, value)));
      }
    }
    for (Object value : List.of(-2, 2, 1e18, "x", true)) {
      post(
          "save sealed " + value,
          "/api/task_schedule_cfg/save",
          json(Map.of("task_type", TYPE, "sealed", value)));
    }
    post("unknown column", "/api/task_schedule_cfg/save", "{'task_type':'hostile','x=1; --':1}");
  }

  // ---- bodies

  private void bodies() {
    for (String body :
        List.of(
            "{",
            "}",
            "[]",
            "null",
            "7",
            "\"x\"",
            "{'taskData':}",
            "{'taskData':{'userId':'u',}}",
            "{'taskData':{}} trailing",
            "{'taskData':{'userId':'a','userId':'b'}}",
            "\u0000\u0001\u0002",
            "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b SYSTEM"
                + " \"file:///etc/passwd\">]><a>&b;</a>",
            "{'a':" + "[".repeat(100_000) + "]".repeat(100_000) + "}",
            "{'a':".repeat(33) + "1" + "}".repeat(33),
            "[".repeat(1_000_000),
            "{'a':[" + "{},".repeat(2_000_000) + "{}]}",
            "{'a':" + "9".repeat(1_000_000) + "}",
            "{'" + "k".repeat(1_000_000) + "':1}")) {
      post("body " + shown(body), "/api/task/createTask", body);
    }
    bytes(
        "broken UTF-8", "application/json", new byte[] {'{', '"', (byte) 0xC3, '"', ':', '1', '}'});
    bytes("UTF-7", "application/json; charset=utf-7", "{}".getBytes(StandardCharsets.UTF_8));
    bytes("plain text", "text/plain", "{}".getBytes(StandardCharsets.UTF_8));
    bytes("multipart", "multipart/form-data; boundary=x", "--x--".getBytes(StandardCharsets.UTF_8));
    bytes("no such media type", "a/b/c;;;", "{}".getBytes(StandardCharsets.UTF_8));
    bytes(
        "JSON as form", "application/x-www-form-urlencoded", "{}".getBytes(StandardCharsets.UTF_8));
    bytes("17 MiB", "application/json", new byte[17 * 1024 * 1024]);
    byte[] large = new byte[17 * 1024 * 1024];
    Arrays.fill(large, (byte) ' ');
    attacks.add(
        new Attack(
            "17 MiB in chunks",
            () ->
                replyOf(
                    wire.send(
                        wire.request("/api/task/createTask")
                            .header("Content-Type", "application/json")
                            .POST(
                                BodyPublishers.ofInputStream(
                                    () -> new ByteArrayInputStream(large)))))));
    bytes(
        "form of many fields",
        "application/x-www-form-urlencoded",
        "a=1&".repeat(100_000).getBytes(StandardCharsets.UTF_8));
    bytes(
        "form of a deep field",
        "application/x-www-form-urlencoded",
        (".a".repeat(50_000) + "=1").getBytes(StandardCharsets.UTF_8));
  }

  // ---- what no endpoint reads, whatever it is for

  private static final List<String> READING_ENDPOINTS =
      List.of(
          "task/createTask",
          "task/createTasks",
          "task/set_task",
          "task/set_tasks",
          "task/hold_task",
          "task/getTask",
          "task/getTaskList",
          "task/getUserTaskList",
          "task/cancel",
          "task/retry",
          "task/setStatus",
          "task/setWorkers",
          "task/restart",
          "task/getActs",
          "task/search",
          "task/running",
          "task/why",
          "task/history",
          "task/runNow",
          "task/reschedule",
          "task/clone",
          "task/expireLease",
          "bulk/preview",
          "bulk/start",
          "bulk/get",
          "bulk/list",
          "bulk/stop",
          "bulk/resume",
          "job/getJobMap",
          "store/list",
          "job/createJob",
          "job/addChildren",
          "job/getJob",
          "job/getJobList",
          "job/getJobTasks",
          "job/getJobInput",
          "job/cancel",
          "job/retry",
          "hook/save",
          "hook/rotate",
          "hook/list",
          "hook/test",
          "hook/delete",
          "key/create",
          "key/rotate",
          "key/revoke",
          "key/list",
          "key/deny",
          "key/denied",
          "session",
          "session/end",
          "audit/list",
          "stats/stages",
          "stats/series",
          "stats/failures",
          "worker/heartbeat",
          "worker/list",
          "worker/get",
          "worker/drain",
          "pause/set",
          "pause/clear",
          "pause/list",
          "task_schedule_cfg/save",
          "task_schedule_cfg/tables",
          "task_schedule_cfg/roll",
          "task_schedule_cfg/clean");

  private void everyEndpoint() {
    for (String endpoint : READING_ENDPOINTS) {
      String path = "/api/" + endpoint;
      Map<String, byte[]> bodies = new TreeMap<>();
      for (String hex : List.of("C0AF", "E080AF", "F08080AF", "C080", "EDA080", "F4908080", "FF")) {
        bodies.put("bytes " + hex, around("{\"taskId\":\"", HexFormat.of().parseHex(hex), "\"}"));
      }
      bodies.put("UTF-16", "{\"taskId\":\"1\"}".getBytes(StandardCharsets.UTF_16LE));
      bodies.put("UTF-32", "{\"taskId\":\"1\"}".getBytes(Charset.forName("UTF-32BE")));
      bodies.put("a raw NUL", ascii("{\"taskId\":\"\u0000\"}"));
      bodies.put("a raw line end", ascii("{\"taskId\":\"a\nb\"}"));
      bodies.put("one name twice", ascii("{\"taskId\":\"1\",\"taskId\":\"2\"}"));
      bodies.put("33 levels", ascii("{\"a\":".repeat(33) + "1" + "}".repeat(33)));
      bodies.put("2,000 digits", ascii("{\"limit\":" + "9".repeat(2_000) + "}"));
      bodies.put("a number that is none", ascii("{\"limit\":NaN}"));
      bodies.put("a list", ascii("[{\"taskId\":\"1\"}]"));
      bodies.put("what goes on", ascii("{\"taskId\":\"1\"} {}"));
      bodies.put("half of it", ascii("{\"taskId\":"));
      bodies.forEach((kind, body) -> bytes(path + ", " + kind, path, "application/json", body));
      for (String form : List.of("taskId=%C0%AF", "%C0%AE=1", "taskId=%zz", "a=1&a.b=2")) {
        bytes(path + ", form " + form, path, "application/x-www-form-urlencoded", ascii(form));
        post(path + ", query " + form, path + "?" + form.replace("%zz", "%ED%A0%80"), "{}");
      }
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] around(String before, byte[] bytes, String after) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(ascii(before));
    all.writeBytes(bytes);
    all.writeBytes(ascii(after));
    return all.toByteArray();
  }

  // ---- lists of all kinds

  private void lists() {
    for (String list :
        List.of(
            "/api/task/getTaskList?taskType=hostile",
            "/api/task/getUserTaskList?userId=u",
            "/api/job/getJobList?userId=u",
            "/api/event/list?a=b",
            "/api/worker/list?a=b")) {
      for (String limit : List.of("0", "-1", "1001", "9".repeat(19), "9".repeat(400), "1e9", "１")) {
        get(list + ", limit " + shown(limit) + limit.length(), list + "&limit=" + encoded(limit));
      }
    }
    for (String list :
        List.of(
            "/api/task/getTaskList?taskType=hostile",
            "/api/task/getUserTaskList?userId=u",
            "/api/job/getJobList?userId=u",
            "/api/pause/list?kind=STAGE",
            "/api/event/list?a=b",
            "/api/event/stream?a=b")) {
      for (String cursor :
          List.of("x", "-1", "0x1", "null", "1,2", "../..", "9".repeat(30), "\u2028", "😀")) {
        get(list + ", cursor " + encoded(cursor), list + "&cursor=" + encoded(cursor));
      }
    }
    for (String call : List.of("/api/event/list?", "/api/event/stream?")) {
      for (String bad :
          List.of(
              "cursor=0",
              "cursor=1",
              "cursor=999999999999999999",
              "kinds=created",
              "kinds=CREATED,x",
              "kinds=" + "CREATED,".repeat(100),
              "taskTypes=a-b",
              "taskTypes=nosuchtype",
              "taskTypes=" + "a".repeat(32),
              "taskTypes=" + String.join(",", Collections.nCopies(101, "a")),
              "userId=" + "u".repeat(129),
              "userId=a%00b")) {
        get(call + shown(bad), call + bad);
      }
    }
    get("events forever", "/api/event/list?waitMs=30001");
    get("events backwards", "/api/event/list?waitMs=-1");
    for (String id : List.of("", "x", "-1", "1.5", "9".repeat(20), "1\n", "１", "\u0000")) {
      for (String call :
          List.of("getJob", "getJobTasks", "getJobInput", "cancel", "retry", "pause", "resume")) {
        post(call + " of job " + encoded(id), "/api/job/" + call, json(Map.of("jobId", id)));
      }
    }
  }

  private void keys() {
    for (String key : List.of("", "k".repeat(129), "ключ", "k\u0007", "\u0000", "nobody's")) {
      post(
          "task by the key " + encoded(key),
          "/api/task/getTask",
          json(Map.of("taskType", TYPE, "idempotencyKey", key)));
    }
    post("key of no type", "/api/task/getTask", "{'idempotencyKey':'k'}");
    post("key as a list", "/api/task/getTask", "{'taskType':'hostile','idempotencyKey':['k']}");
    post(
        "key and id",
        "/api/task/getTask",
        json(Map.of("taskType", TYPE, "idempotencyKey", "k", "taskId", waiting)));
  }

  // ---- hooks

  private void hooks() {
    for (String url :
        List.of(
            "",
            " ",
            "x",
            "http://hooks.example.com/",
            "https://hooks.example.com/",
            "https://169.254.169.254/latest/meta-data/",
            "https://[::ffff:127.0.0.1]/",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://127.0.0.1\u0000.example.com/",
            "https://a:b@hooks.example.com/",
            "file:///etc/passwd",
            "https://hooks.example.com/" + "x".repeat(100_000),
            "https://😀/")) {
      post(
          "hook to " + shown(url) + url.length(),
          "/api/hook/save",
          json(Map.of("name", "hostile", "url", url)));
    }
    for (String call : List.of("rotate", "test", "delete")) {
      for (String id : List.of("", "x", "-1", "1.5", "1", "9".repeat(20), "1\n", "１", "\u0000")) {
        post(call + " hook " + encoded(id), "/api/hook/" + call, json(Map.of("hookId", id)));
      }
      post(call + " hook of no name", "/api/hook/" + call, json(Map.of("name", "nobody's")));
    }
  }

  // ---- access keys

  private void accessKeys() {
    Map<String, List<String>> bad = new TreeMap<>();
    for (String field : List.of("name", "roles", "types", "stages", "users")) {
      bad.put(field, List.of("", " ", "\u0000", "\n", "x".repeat(5_000)));
    }
    bad.put("workerPrefix", List.of(" ", "\u0000", "\n", "x".repeat(65)));
    bad.put("role", List.of("READER"));
    bad.forEach((field, values) -> values.forEach(value -> postKey(field, value)));
    for (String name : List.of("**", "a*b", "a,b", "😀", "t_access_key WHERE 1=1", "x_task_1")) {
      postKey("roles", name);
      postKey("types", name);
    }
    postKey("roles", "*");
    postKey("stages", "s*");
    for (String name : List.of("**", "a*b", "*a", "a*b*")) {
      postKey("users", name);
      postKey("stages", name);
    }
    for (String san :
        List.of("", " ", "*", "*.acme", "a b", "http:", "http://[", "ä.de", "x".repeat(300))) {
      postKey("certSan", san);
    }
    for (String rate : List.of("-1", "1000001", "9223372036854775807", "fast")) {
      postKey("rateLimit", rate);
    }
    for (String time : List.of("-1", "1", "9223372036854775807", "now")) {
      postKey("notBefore", time);
    }
    List<String> many = IntStream.range(0, 100).mapToObj(i -> "\"".repeat(40) + i).toList();
    post(
        "key of too many users",
        "/api/key/create",
        json(Map.of("name", "many", "roles", "READER", "users", many)));
    for (int days : new int[] {-1, 0, 731, Integer.MAX_VALUE}) {
      post(
          "key of " + days + " days",
          "/api/key/create",
          json(Map.of("name", "days", "roles", "READER", "expireDays", days)));
    }
    for (String id : List.of("", "x", "０123456789", "0123456789\n", "'; --")) {
      post("rotate key " + encoded(id), "/api/key/rotate", json(Map.of("keyId", id)));
      post("revoke key " + encoded(id), "/api/key/revoke", json(Map.of("keyId", id)));
      post("keys after " + encoded(id), "/api/key/list", json(Map.of("cursor", "1-" + id)));
    }
    for (String principal :
        List.of(
            "",
            "key:0123456789",
            "oidc:#",
            "oidc:a#\n",
            "oidc:a#" + "b".repeat(200),
            "oidc:" + "a".repeat(80) + "#" + "b".repeat(90))) {
      post("deny " + shown(principal), "/api/key/deny", json(Map.of("principal", principal)));
    }
    for (String cursor : List.of("x", "\u0000", "'; --", "é".repeat(100), "a".repeat(161))) {
      post("denied after " + shown(cursor), "/api/key/denied", json(Map.of("cursor", cursor)));
    }
    post("rotate no key", "/api/key/rotate", json(Map.of("keyId", "0123456789")));
    post("revoke no key", "/api/key/revoke", json(Map.of("keyId", "0123456789")));
    for (long seconds : new long[] {-1, 2_592_001, Long.MAX_VALUE}) {
      post(
          "rotate in " + seconds,
          "/api/key/rotate",
          json(Map.of("keyId", "0123456789", "overlapSeconds", seconds)));
    }
  }

  private void postKey(String field, String value) {
    Map<String, Object> key = new TreeMap<>(Map.of("name", "hostile", "roles", "READER"));
    key.put(field, field.endsWith("s") ? List.of(value) : value);
    post("key with " + field + " " + shown(value) + value.length(), "/api/key/create", json(key));
  }

  // ---- the record of acts

  private void recordOfActs() {
    for (String text : List.of("", " ", "%", "\u0000", "\n", "😀", "'; --", "x".repeat(5_000))) {
      for (String field : List.of("actor", "object", "act", "cursor")) {
        post(
            "acts with " + field + " " + shown(text) + text.length(),
            "/api/audit/list",
            json(Map.of(field, text)));
      }
    }
    for (String time : List.of("-1", "9223372036854775807", "now")) {
      post("acts from " + time, "/api/audit/list", json(Map.of("from", time, "to", time)));
    }
  }

  // ---- numbers

  private void numbers() {
    for (String text : List.of("", " ", "%", "\u0000", "\n", "😀", "'; --", "x".repeat(5_000))) {
      for (String call : List.of("stages", "series", "failures")) {
        postNumbers(call, "taskType", text);
      }
      postNumbers("series", "from", text);
      postNumbers("series", "points", text);
      postNumbers("failures", "limit", text.isEmpty() ? "none" : text);
      postNumbers("failures", "verdict", text);
      postNumbers("failures", "cursor", text);
    }
    for (String stage : List.of("\u0000", "\n", "x".repeat(5_000))) {
      postNumbers("series", "taskStage", stage);
      postNumbers("failures", "taskStage", stage);
    }
    for (String call : List.of("series", "failures")) {
      String path = "/api/stats/" + call;
      for (String time : List.of("-1", "0", "9223372036854775807", "253402300799999", "now")) {
        post(call + " from " + time, path, json(Map.of("from", time, "to", time)));
        post(call + " long to " + time, path, json(Map.of("from", 0, "to", time)));
      }
      for (String time : List.of("-1", "9223372036854775807", "now")) {
        post(call + " to " + time, path, json(Map.of("taskType", "hostile", "to", time)));
      }
    }
    for (Object points : List.of(-1, 0, 9, 501, Integer.MAX_VALUE, 1.5, List.of(10))) {
      post(
          "points " + points,
          "/api/stats/series",
          json(Map.of("taskType", "hostile", "points", points)));
    }
    post("500 types", "/api/stats/series", json(Map.of("taskType", "hostile,".repeat(500))));
    for (String cursor : List.of("1-1-1", "-1-0000000000000000-x", "1-zzzzzzzzzzzzzzzz-x")) {
      post("cursor " + cursor, "/api/stats/failures", json(Map.of("cursor", cursor)));
    }
  }

  private void postNumbers(String call, String field, String text) {
    post(
        call + " with " + field + " " + shown(text) + text.length(),
        "/api/stats/" + call,
        json(Map.of(field, text)));
  }

  // ---- names and units of others

  private void otherDialects() {
    hooks();
    accessKeys();
    recordOfActs();
    numbers();
    post("context", "/api/task/createTask", newTask("context", "c"));
    post("context as object", "/api/task/createTask", newTask("context", Map.of("a", 1)));
    post(
        "context of an update",
        "/api/task/set_task",
        json(Map.of("taskId", waiting, "context", "c")));
    for (long seconds : new long[] {1, 1_795_254_976L, 99_999_999_999L}) {
      post("run at second " + seconds, "/api/task/createTask", newTask("runAt", seconds));
      post(
          "order time in second " + seconds,
          "/api/task/set_task",
          json(Map.of("taskId", waiting, "orderTime", seconds)));
    }
  }

  // ---- queries

  private void queries() {
    String list = "/api/task/getTaskList?taskType=hostile";
    for (String limit :
        List.of(
            "0", "-1", "1001", "2147483648", "9223372036854775808", "1e3", "0x10", "ten", "1;")) {
      get("limit " + limit, list + "&limit=" + encoded(limit));
      get("hold limit " + limit, holdUnless0(limit));
    }
    for (String status : List.of("-1", "64", "65", "2147483647", "x", "1%20OR%201=1", "1,x")) {
      get("status " + status, list + "&status=" + status);
    }
    for (String cursor :
        List.of("x", "-1", "0", "1' OR '1'='1", "9".repeat(19), "9".repeat(5_000), "\u0000")) {
      get("cursor " + shown(cursor), list + "&cursor=" + encoded(cursor));
    }
    get("no user", "/api/task/getUserTaskList");
    get("user too long", "/api/task/getUserTaskList?userId=" + "u".repeat(129));
    get("user with NUL", "/api/task/getUserTaskList?userId=a%00b");
    get("twice the same", "/api/task/getTask?taskId=" + NOT_FOUND_ID + "&taskId=" + NOT_FOUND_ID);
    get("an array", "/api/task/getTask?taskId[]=1");
    get("wait too long", "/api/task/hold_task?taskType=hostile&waitMs=30001");
    get("wait backwards", "/api/task/hold_task?taskType=hostile&waitMs=-1");
    get("hold id without worker", "/api/task/hold_task?taskType=hostile&holdId=h");
    get("hold done tasks", "/api/task/hold_task?taskType=hostile&status=4");
    get("worker too long", "/api/task/hold_task?taskType=hostile&workerId=" + "w".repeat(65));
    get(
        "hold id too long",
        "/api/task/hold_task?taskType=hostile&workerId=w&holdId=" + "h".repeat(65));
    get("stage too long", "/api/task/hold_task?taskType=hostile&stages=" + "s".repeat(65));
    get(
        "too many stages",
        "/api/task/hold_task?taskType=hostile&stages=" + "s,".repeat(65) + stages());
    String preferring = "/api/task/hold_task?taskType=hostile&prefer=";
    get("prefers too much", preferring + "s,".repeat(65) + stages());
    get("prefers too long", preferring + "s".repeat(65));
    get("prefers NUL", preferring + "a%00b");
    get("prefers what it does not want", preferring + "a&stages=b");
    get("others too late", preferring + "a&othersAfterMs=10001");
    get("others too early", preferring + "a&othersAfterMs=-1");
    get("others at no time", preferring + "a&othersAfterMs=soon");
    get("percent at the end", "/api/task/getTask?taskId=%25%zz".replace("%zz", "%25"));
  }

  private static String stages() {
    StringBuilder stages = new StringBuilder();
    for (int i = 0; i < 65; i++) {
      stages.append("s").append(i).append(',');
    }
    return stages.toString();
  }

  /** A hold takes 0 for the type's own limit. */
  private static String holdUnless0(String limit) {
    String query = limit.equals("0") ? "limit=0&status=2" : "limit=" + encoded(limit);
    return "/api/task/hold_task?taskType=hostile&" + query;
  }

  // ---- reports and updates

  private void reports() {
    post("no outcome", "/api/task/set_task", "{'taskId':'" + held + "','leaseEpoch':1}");
    post("unknown outcome", "/api/task/set_task", report(held, "w1", 1, "DROP"));
    post("negative epoch", "/api/task/set_task", report(held, "w1", -1, "SUCCESS"));
    post("epoch of 33 bits", "/api/task/set_task", report(held, "w1", 1L << 32, "SUCCESS"));
    post("stolen lease", "/api/task/set_task", report(held, "w2", 1, "SUCCESS"));
    post("future epoch", "/api/task/set_task", report(held, "w1", 2, "SUCCESS"));
    post("never held", "/api/task/set_task", report(waiting, "w1", 0, "SUCCESS"));
    post("final task", "/api/task/set_task", report(done, "w1", 1, "SUCCESS"));
    post(
        "no worker",
        "/api/task/set_task",
        "{'taskId':'" + held + "','leaseEpoch':1,'outcome':'FAIL'}");
    post("no stage", "/api/task/set_task", report(held, "w1", 1, "NEXT_STAGE"));
    post("no delay", "/api/task/set_task", report(held, "w1", 1, "SNOOZE"));
    post("update of a held task", "/api/task/set_task", "{'taskId':'" + held + "','status':4}");
    post("update of a final task", "/api/task/set_task", "{'taskId':'" + done + "','status':1}");
    for (String status : List.of("3", "16", "5", "-1", "32", "\"x\"", "[1]")) {
      post(
          "update to status " + status,
          "/api/task/set_task",
          "{'taskId':'" + waiting + "','status':" + status + "}");
    }
    post("execute without a hold", "/api/task/set_task", "{'taskId':'" + waiting + "','status':2}");
    post(
        "update with a large context",
        "/api/task/set_task",
        json(Map.of("taskId", waiting, "taskContext", "x".repeat(4_097))));
    String good = "{'userId':'u','taskType':'hostile','taskStage':'s'}";
    for (Map.Entry<String, String> creates :
        Map.of(
                "as text",
                "'x'",
                "as object",
                "{}",
                "of nonsense",
                "[7]",
                "without fields",
                "[{}]",
                "in creates",
                "[{'creates':[" + good + "]}]",
                "with a bad one",
                "[" + good + ",{'userId':'u'}]",
                "of an unknown type",
                "[" + good.replace("hostile", "unknowntype") + "]",
                "101",
                "[" + (good + ",").repeat(100) + good + "]")
            .entrySet()) {
      String report = report(held, "w1", 1, "SUCCESS");
      post(
          "creates " + creates.getKey(),
          "/api/task/set_task",
          report.substring(0, report.lastIndexOf('}')) + ",'creates':" + creates.getValue() + "}");
    }
    post("no reports", "/api/task/set_tasks", "{'reports':[]}");
    post("1001 reports", "/api/task/set_tasks", "{'reports':[" + "{},".repeat(1_000) + "{}]}");
    post("reports as text", "/api/task/set_tasks", "{'reports':'x'}");
    post("beat of nobody", "/api/worker/heartbeat", "{'tasks':[]}");
    post(
        "beat of 1001",
        "/api/worker/heartbeat",
        "{'workerId':'w','tasks':[" + "{},".repeat(1_000) + "{}]}");
    post("beat of nonsense", "/api/worker/heartbeat", "{'workerId':'w','tasks':[{'taskId':'x'}]}");
    post(
        "progress beyond",
        "/api/worker/heartbeat",
        "{'workerId':'w1','tasks':[{'taskId':'" + held + "','leaseEpoch':1,'progress':101}]}");
  }

  // ---- routes and methods

  private void routes() {
    for (String path :
        List.of(
            "/",
            "/api",
            "/api/task",
            "/api/task/",
            "/api/task/getTask/",
            "/api/task/../task/nowhere",
            "/api//task/getTask",
            "/api/task/GetTask",
            "/api/task/getTask.json",
            "/error",
            "/actuator/env",
            "/actuator/heapdump",
            "/actuator/shutdown",
            "/.git/config",
            "/WEB-INF/web.xml",
            "/index.jsp",
            "/%2e%2e/%2e%2e/etc/passwd",
            "/api/task/getTask%2f..%2fx",
            "/api/task/getTask%5c")) {
      get("route " + path, path);
    }
    for (String method : List.of("PUT", "DELETE", "PATCH", "PROPFIND", "FOO")) {
      attacks.add(
          new Attack(
              "method " + method,
              () ->
                  replyOf(
                      wire.send(
                          wire.request("/api/task/createTask")
                              .method(method, BodyPublishers.noBody())))));
    }
    get("write by GET", "/api/task/createTask?taskData.userId=u");
  }

  // ---- what is hardly HTTP

  /** Spring's own endpoints read a body, too, where there is one. */
  private static String badBody(String line) {
    return line
        + " HTTP/1.1\r\n"
        + "Host: localhost\r\n"
        + "Content-Type: application/json\r\n"
        + "Content-Length: 2\r\n\r\n"
        + "{x";
  }

  private void rawBytes() {
    String post =
        "POST /api/task/createTask HTTP/1.1\r\n"
            + "Host: localhost\r\n"
            + "Content-Type: application/json\r\n";
    for (String request :
        List.of(
            "GET /api task HTTP/1.1\r\nHost: localhost\r\n\r\n",
            badBody("GET /actuator/health"),
            badBody("GET /actuator/health/liveness"),
            badBody("GET /actuator/prometheus"),
            badBody("GET /actuator/sbom"),
            "GET /api/task/getTask?taskId=%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /api/task/getTask?taskId=% HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /api/task/getTask?taskId=%C3 HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /api/task/getTask?taskId=\u00e9 HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /api/task/getTask?taskId=\u0001 HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /api/task/getTask?a={\"$ne\":1}|<>^`\\ HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /%00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /a%2fb HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET http://evil/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\nHost: b\r\n\r\n",
            "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
            "G\u00e9T / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "\u0016\u0003\u0001\u0000\u00a5\u0001\u0000\u0000\u00a1 TLS?\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + "y".repeat(64_000) + "\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\n" + "X: y\r\n".repeat(20_000) + "\r\n",
            "GET /" + "y".repeat(64_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
            post + "Content-Length: -5\r\n\r\n{}",
            post + "Content-Length: x\r\n\r\n{}",
            post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
            post + "Content-Length: 99999999999999\r\n\r\n{",
            post + "Transfer-Encoding: nonsense\r\n\r\n{}",
            post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
            post + "Transfer-Encoding: chunked\r\n\r\n-1\r\n",
            post + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFF\r\n",
            post + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n\r\n",
            "TRACE /api/task/createTask HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "CONNECT evil:443 HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
      attacks.add(
          new Attack(
              "raw " + shown(request),
              () -> {
                try {
                  return raw(request.getBytes(StandardCharsets.ISO_8859_1));
                } catch (IOException e) {
                  return new Reply(0, e.toString(), "");
                }
              }));
    }
  }

  private Reply raw(byte[] request) throws IOException {
    String answer = RawHttp.send(port, request);
    int body = answer.indexOf("\r\n\r\n");
    if (!answer.startsWith("HTTP/1.1 ") || body < 0) {
      return new Reply(0, answer, "");
    }
    String trace =
        answer
            .lines()
            .filter(line -> line.startsWith("X-Trace-Id: "))
            .map(line -> line.substring(12).strip())
            .findFirst()
            .orElse("");
    return new Reply(Integer.parseInt(answer.substring(9, 12)), answer.substring(body + 4), trace);
  }

  // ---- fixtures

  private void prepareTasks() {
    // Long leases: on a busy machine the requests take longer than those of the defaults.
    wire.post(
        "/api/task_schedule_cfg/save",
        "{'task_type':'hostile','lease_seconds':600,'max_processing_time':600}");
    done = create();
    wire.post("/api/task/hold_task", "{'taskType':'hostile','workerId':'w1','limit':1}");
    wire.post("/api/task/set_task", report(done, "w1", 1, "SUCCESS"));
    held = create();
    wire.post("/api/task/hold_task", "{'taskType':'hostile','workerId':'w1','limit':1}");
    waiting = create();
  }

  private String create() {
    Answer created =
        wire.post(
            "/api/task/createTask",
            "{'taskData':{'userId':'u','taskType':'hostile','taskStage':'s','taskContext':'c'}}");
    return created.result().path("taskId").asString();
  }

  /** The first request of a kind pays for loading classes; a server runs longer than that. */
  private void warmUp() {
    attacks.stream().filter(a -> a.name.length() % 5 == 0).forEach(a -> a.send.get());
  }

  /**
   * All that an attack could want to change, without what governance does to other tests' tasks.
   */
  private Map<String, Object> everythingInTheDatabase() {
    Map<String, Object> seen = new TreeMap<>();
    for (String query :
        List.of(
            // Governance makes and drops the tables of days; schedules of other tests go on.
            "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"
                + " AND table_name NOT REGEXP '_2[0-9]{7}$|^t_lark[0-9]+_task_'"
                + " ORDER BY table_name",
            "SELECT * FROM t_schedule_cfg ORDER BY task_type",
            "SELECT task_type FROM t_schedule_pos WHERE task_type NOT REGEXP '^lark[0-9]+$'"
                + " ORDER BY task_type",
            "SELECT * FROM t_schedule_pos WHERE task_type = 'hostile'",
            "SELECT * FROM t_task_key WHERE task_type = 'hostile'",
            "SELECT * FROM t_hold WHERE task_type = 'hostile'",
            "SELECT * FROM t_audit WHERE task_id LIKE '%hostile%' ORDER BY id",
            "SELECT * FROM t_job WHERE job_type = 'hostile' ORDER BY id",
            "SELECT worker_id FROM t_worker WHERE worker_id IN ('w', 'w1', 'w2')",
            "SELECT * FROM t_hostile_task_1 ORDER BY id")) {
      seen.put(query, jdbc.sql(query).query().listOfRows().toString());
    }
    seen.put("checksum", jdbc.sql("CHECKSUM TABLE t_hostile_task_1").query().listOfRows() + "");
    return seen;
  }

  private void get(String name, String pathAndQuery) {
    attacks.add(new Attack(name, () -> replyOf(wire.get(pathAndQuery))));
  }

  private void post(String name, String path, String json) {
    attacks.add(new Attack(name, () -> replyOf(wire.post(path, json))));
  }

  private void bytes(String name, String contentType, byte[] body) {
    bytes(name, "/api/task/createTask", contentType, body);
  }

  private void bytes(String name, String path, String contentType, byte[] body) {
    attacks.add(
        new Attack(
            name,
            () ->
                replyOf(
                    wire.send(
                        wire.request(path)
                            .header("Content-Type", contentType)
                            .POST(BodyPublishers.ofByteArray(body))))));
  }

  private static Reply replyOf(Answer answer) {
    return new Reply(answer.status(), answer.http().body(), answer.header("X-Trace-Id"));
  }

  private static String newTask(String field, Object value) {
    Map<String, Object> task = new TreeMap<>();
    task.putAll(Map.of("userId", "u", "taskType", TYPE, "taskStage", "s", "taskContext", "c"));
    task.put(field, value);
    return json(Map.of("taskData", task));
  }

  private static String jobWith(String fields) {
    return "{'jobData':{'userId':'u','jobType':'hostile'," + fields + "}}";
  }

  private static String report(String id, String worker, long epoch, String outcome) {
    return json(Map.of("taskId", id, "workerId", worker, "leaseEpoch", epoch, "outcome", outcome));
  }

  /** With apostrophes escaped, since {@link Wire} takes them for quotes. */
  private static String json(Map<String, ?> value) {
    return JSON.writeValueAsString(value).replace("'", "\\u0027");
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String shown(String text) {
    String printable = text.replaceAll("[^ -~]", "?");
    return printable.length() > 50 ? printable.substring(0, 50) + "..." : printable;
  }
}
