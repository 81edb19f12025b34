package io.asyncflow.console;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FieldError;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.TaskStatus;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Answers calls as a server with a few types, workers and tasks would, and remembers the acts. A
 * stranger's text stands wherever a stranger could have written one.
 */
public final class SampleApi extends JsonOperator {

  public static final String TASK = "249835547751612417_tts_task_1";
  public static final String JOB = "249835547751600001";
  public static final String SCHEDULE = "249835547751000002";
  public static final String BULK = "249835547751000009";
  private static final String ADA = "ada";
  public static final long NOW = 1_795_400_000_000L;

  /** What an administrator may do. */
  public static final String[] ALL_VERBS =
      """
      TYPE_READ TYPE_SAVE TYPE_TUNE TYPE_ROLL TASK_READ TASK_CANCEL TASK_RETRY TASK_FORCE TASK_STEER
      TASK_EXPIRE TASK_CREATE BULK STORE_GET STATS_READ CONTEXT_READ JOB_READ JOB_CANCEL JOB_STEER SCHEDULE_READ
      SCHEDULE_SAVE SCHEDULE_STEER PAUSE WORKER_READ WORKER_PAUSE WORKER_DRAIN AUDIT_READ GOVERN_READ
      """
          .strip()
          .split("\\s+");

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Set<String> READING =
      Set.of(
          "/api/key/me",
          "/api/task/getTask",
          "/api/task/getActs",
          "/api/task/search",
          "/api/task/running",
          "/api/task/why",
          "/api/task/history",
          "/api/job/getJobMap",
          "/api/store/list",
          "/api/job/getJob",
          "/api/job/getJobList",
          "/api/job/getJobTasks",
          "/api/worker/get",
          "/api/worker/list",
          "/api/task_schedule_cfg/list",
          "/api/task_schedule_cfg/tables",
          "/api/bulk/list",
          "/api/bulk/get",
          "/api/bulk/preview",
          "/api/schedule/list",
          "/api/schedule/get",
          "/api/schedule/fires",
          "/api/schedule/preview",
          "/api/governance/status",
          "/api/store/usage",
          "/api/audit/list");

  /** An act that was called. */
  public record Called(String path, Map<String, ?> fields) {}

  private final List<Called> acts = new CopyOnWriteArrayList<>();
  private final AtomicInteger told = new AtomicInteger();
  private volatile List<String> strangers = List.of(ADA);
  private volatile Set<String> verbs = new TreeSet<>(List.of(ALL_VERBS));
  private volatile String csrfToken;
  private volatile String kind = "LOCAL";
  private volatile boolean isEmpty;
  private volatile boolean isCalm;
  private volatile int load = 1;
  private volatile int rows;
  private volatile int taskStatus = 2;
  private volatile FlowException refusal;
  private volatile int children = 2_000;
  private volatile int found = 12;
  private volatile String role = "ADMIN";
  private volatile int bulk;
  private volatile int bulkCount = 12_000;
  private volatile String bulkCountKind = "AT_LEAST";
  private volatile String bulkAct = "RETRY";
  private volatile Set<String> missing = Set.of();
  private volatile boolean isOfNoJob;
  private volatile boolean isBucket;
  private volatile String context;
  private volatile boolean isAtTheEnd;

  /** Puts a text wherever a stranger could have written one; of several, each time another. */
  public SampleApi withStranger(String... texts) {
    strangers = List.of(texts);
    return this;
  }

  private String stranger() {
    List<String> all = strangers;
    return all.get(Math.floorMod(told.getAndIncrement(), all.size()));
  }

  /** What stands there, unless a stranger writes elsewhere. */
  private String word(String usual) {
    String text = stranger();
    return text.equals(ADA) ? usual : text;
  }

  private boolean isStrange() {
    return !strangers.contains(ADA);
  }

  /** Which of the bulks of the list is the one that has a page. */
  public SampleApi withBulk(int index) {
    bulk = index;
    return this;
  }

  /** What a preview finds. */
  public SampleApi withPreview(String act, int count, String kind) {
    bulkAct = act;
    bulkCount = count;
    bulkCountKind = kind;
    return this;
  }

  public SampleApi withRole(String name) {
    role = name;
    return this;
  }

  public SampleApi withVerbs(String... granted) {
    verbs = new TreeSet<>(List.of(granted));
    return this;
  }

  public SampleApi withToken(String token) {
    csrfToken = token;
    return this;
  }

  /** How the operator proved itself. */
  public SampleApi asOf(String kind) {
    this.kind = kind;
    return this;
  }

  /** Has nothing that lists could show. */
  public SampleApi empty(boolean on) {
    isEmpty = on;
    return this;
  }

  /** Makes long lists: so many rows each. */
  public SampleApi withRows(int count) {
    rows = count;
    return this;
  }

  public SampleApi withTaskStatus(int status) {
    taskStatus = status;
    return this;
  }

  /** Has so many times the usual traffic. */
  public SampleApi withLoad(int factor) {
    load = factor;
    return this;
  }

  /** Has few problems, as a server on most days. */
  public SampleApi calm(boolean on) {
    isCalm = on;
    return this;
  }

  /** The number of children of jobs. */
  public SampleApi withChildren(int number) {
    children = number;
    return this;
  }

  /** How many tasks a search finds. */
  public SampleApi withFound(int number) {
    found = number;
    return this;
  }

  /** Lets these tasks not exist. */
  public SampleApi without(String... tasks) {
    missing = Set.of(tasks);
    return this;
  }

  /** Whether its task belongs to no job. */
  public SampleApi ofNoJob(boolean on) {
    isOfNoJob = on;
    return this;
  }

  /** Whether the store is a bucket, whose room nobody knows. */
  public SampleApi withBucket(boolean on) {
    isBucket = on;
    return this;
  }

  /** The context of tasks; {@code null} for the usual one. */
  public SampleApi withContext(String text) {
    context = text;
    return this;
  }

  /** Whether a search has no further page, without having looked everywhere. */
  public SampleApi atTheEnd(boolean on) {
    isAtTheEnd = on;
    return this;
  }

  /** Refuses everything but the question who asks. */
  public SampleApi refusing(ErrorCode code, String message) {
    refusal = new FlowException(code, message);
    return this;
  }

  /** Refuses nothing any more. */
  public SampleApi answering() {
    refusal = null;
    return this;
  }

  public List<Called> acts() {
    return acts;
  }

  @Override
  public JsonNode call(String path, Map<String, ?> fields) {
    if (refusal != null && !path.equals("/api/key/me")) {
      throw refusal;
    }
    if (fields.get("taskId") instanceof String id && missing.contains(id)) {
      throw new FlowException(ErrorCode.NO_SUCH_TASK, "there is no task " + id + " any more");
    }
    if (SampleNumbers.knows(path)) {
      return new SampleNumbers(this::stranger, isEmpty ? 0 : Math.max(rows, 4), isCalm, load)
          .answer(path, fields);
    }
    if (!READING.contains(path)) {
      acts.add(new Called(path, new HashMap<>(fields)));
      ObjectNode done = JSON.createObjectNode();
      return path.equals("/api/bulk/start") ? done.put("bulkId", BULK) : done;
    }
    return switch (path) {
      case "/api/key/me" -> me();
      case "/api/task/getTask" -> JSON.createObjectNode().set("taskData", task());
      case "/api/task/getActs" -> taskActs();
      case "/api/task/search" -> search(fields);
      case "/api/task/running" -> list("runningList", 3, this::running).put("isWhole", true);
      case "/api/task/why" -> why(fields);
      case "/api/task/history" -> history();
      case "/api/job/getJobMap" -> jobMap(fields);
      case "/api/store/list" -> list("objectList", 3, this::object);
      case "/api/job/getJob" ->
          JSON.createObjectNode()
              .put("rate", 31.5)
              .put("estimatedEnd", NOW + 37_512)
              .set("jobData", job(0));
      case "/api/job/getJobList" -> list("jobList", 9, this::job);
      case "/api/job/getJobTasks" -> list("taskList", 12, this::child);
      case "/api/worker/get" -> JSON.createObjectNode().set("workerData", worker(0));
      case "/api/worker/list" -> list("workerList", 6, this::worker);
      case "/api/task_schedule_cfg/list" -> list("scheduleCfgList", 4, this::type);
      case "/api/task_schedule_cfg/tables" -> list("tables", 3, this::table);
      case "/api/bulk/list" -> list("bulks", 5, this::bulk);
      case "/api/bulk/get" -> bulk(bulk);
      case "/api/bulk/preview" -> bulkPreview();
      case "/api/schedule/list" -> list("scheduleList", 5, this::schedule);
      case "/api/schedule/get" -> JSON.createObjectNode().set("scheduleData", schedule(0));
      case "/api/schedule/fires" -> fires();
      case "/api/schedule/preview" -> preview();
      case "/api/governance/status" -> status();
      case "/api/store/usage" -> usage();
      default -> list("actList", 9, this::act);
    };
  }

  private ObjectNode bulk(int index) {
    String state = new String[] {"RUNNING", "STOPPED", "DONE", "FAILED", "DONE"}[index];
    ObjectNode bulk = JSON.createObjectNode();
    bulk.put("bulkId", index == 0 ? BULK : "24983554775100001" + index)
        .put("state", state)
        .put("act", new String[] {"RETRY", "RESCHEDULE", "SET_STATUS", "CANCEL", "RUN_NOW"}[index])
        .put("cap", index == 4 ? 500 : 10_000)
        .put("looked", 20_000)
        .put("done", 500)
        .put("skipped", 40)
        .put("refused", 2)
        .put("principal", "key:3Qm81LtzGh")
        .put("operator", stranger())
        .put("reason", stranger())
        .put("previewTime", NOW - 90_000)
        .put("startTime", NOW - 60_000)
        .put("changeTime", NOW - 1_000);
    bulk.putObject("arguments");
    if (index == 1) {
      bulk.putObject("arguments").put("runAt", NOW + 3_600_000);
    } else if (index == 2) {
      bulk.putObject("arguments").put("status", 8);
    }
    bulk.putObject("filter").put("q", "type:tts status:failed").put("text", stranger());
    bulk.putObject("count").put("count", 812).put("kind", index == 3 ? "AT_LEAST" : "EXACT");
    ArrayNode refusals = bulk.putArray("refusals");
    refusals.addObject().put("taskId", TASK).put("code", 8051).put("msg", stranger());
    if (index == 0) {
      bulk.put("perSecond", 812.5).put("endsAbout", NOW + 30_000);
    } else if (index > 1) {
      bulk.put("endTime", NOW - 1_000);
    }
    if (index == 3) {
      bulk.put("error", "key:3Qm81LtzGh may not do this any more");
    }
    return bulk;
  }

  private ObjectNode bulkPreview() {
    ObjectNode preview = JSON.createObjectNode();
    preview
        .put("bulkId", BULK)
        .put("act", bulkAct)
        .put("looked", 12_000)
        .put("cap", 10_000)
        .put("token", BULK + "-AAAAAAAAAAAAAAAAAAAAAA")
        .put("tokenUntil", NOW + 600_000);
    preview.putObject("arguments");
    preview.putObject("filter").put("q", "type:tts");
    preview.putObject("count").put("count", isEmpty ? 0 : bulkCount).put("kind", bulkCountKind);
    preview.putObject("byStatus").put("FAILED", 11_000).put("CANCELLED", 1_000);
    ArrayNode samples = preview.putArray("samples");
    if (!isEmpty) {
      samples.add(task());
    }
    return preview;
  }

  private interface Item {
    ObjectNode make(int index);
  }

  private ObjectNode list(String member, int count, Item item) {
    ObjectNode result = JSON.createObjectNode();
    ArrayNode items = result.putArray(member);
    for (int i = 0; i < Math.max(count, rows) && !isEmpty; i++) {
      items.add(item.make(i));
    }
    return isEmpty ? result : result.put("nextCursor", "next");
  }

  private JsonNode search(Map<String, ?> fields) {
    if (String.valueOf(fields.get("q")).contains("foo:")) {
      throw new FlowException(
          ErrorCode.INVALID_INPUT,
          "q the word 'foo' is not known",
          List.of(new FieldError("q", "the word 'foo' is not known; known are age, status, type")),
          null);
    }
    boolean hasNone = isEmpty || String.valueOf(fields.get("q")).contains("nobody");
    ObjectNode found = JSON.createObjectNode();
    ArrayNode tasks = found.putArray("taskList");
    int[] statuses = {8, 1, 2, 4, 16, 32};
    int most = fields.get("taskId") instanceof List<?> ids ? ids.size() : this.found;
    for (int i = 0; i < most && !hasNone; i++) {
      ObjectNode task = task();
      task.put("taskId", (249835547751612417L + i) + "_tts_task_1");
      task.put("status", statuses[i % statuses.length]).put("scheduleLog", lastLog());
      task.put("createTime", NOW - 60_000L * i).remove(List.of("taskContext", "result"));
      tasks.add(task);
    }
    if (isAtTheEnd) {
      return found.put("looked", 500).put("isWhole", false).put("drivenBy", "idx_claim");
    }
    return found
        .put("nextCursor", "N249835547751612417_249835547751612417")
        .put("looked", 20_000)
        .put("lookedBackTo", NOW - 86_400_000L)
        .put("isWhole", false)
        .put("drivenBy", "PRIMARY");
  }

  private String lastLog() {
    ObjectNode log = JSON.createObjectNode();
    log.putObject("lastData").put("outcome", "RETRY").put("errMsg", word("no tape in drive 3"));
    return log.toString();
  }

  private ObjectNode running(int i) {
    return JSON.createObjectNode()
        .put("taskId", (249835547751612417L + i) + "_tts_task_1")
        .put("taskStage", "synthesize")
        .put("userId", stranger())
        .put("leaseEpoch", 2)
        .put("holdTime", NOW - 400_000)
        .put("elapsedMs", 400_000)
        .put("leaseMs", 18_000)
        .put("hardEndMs", 200_000);
  }

  private JsonNode why(Map<String, ?> fields) {
    ObjectNode why = JSON.createObjectNode().put("checkedAt", NOW);
    if (fields.containsKey("taskId") || Integer.valueOf(1).equals(fields.get("index"))) {
      why.put("taskId", TASK).put("status", taskStatus);
    }
    String worker = word("gpu-1");
    ArrayNode reasons = why.putArray("reasons");
    switch (fields.containsKey("taskId") ? taskStatus : 1) {
      case 1 -> {
        ObjectNode none = reason(reasons, "NO_WORKER", true, "START_WORKER");
        none.putArray("lost").add("cpu-9");
        none.putArray("draining");
        none.putArray("others").add(worker).add("gpu-2");
        reason(reasons, "BEHIND", false, "WAIT").put("ahead", 1_001).put("priority", 90);
        why.putObject("ahead").put("count", 1_001).put("kind", "AT_LEAST");
        if (isCalm) {
          break;
        }
        reason(reasons, "BACKOFF", true, "RUN_NOW")
            .put("attempt", 2)
            .put("of", 4)
            .put("dueAt", NOW + 60_000)
            .put("lastError", word("no tape in drive 3"));
        reason(reasons, "TYPE_PAUSED", true, "RESUME_TYPE")
            .put("since", NOW - 60_000)
            .put("by", stranger())
            .put("reason", stranger());
        reason(reasons, "NEW_CODE", false, null).put("something", stranger());
      }
      case 2 ->
          reason(reasons, "HELD", false, null)
              .put("worker", worker)
              .put("since", NOW - 40_000)
              .put("leaseUntil", NOW + 18_000)
              .put("beatAge", 4_000)
              .put("progress", 63)
              .put("stage", word("synthesize"));
      case 8 ->
          reason(reasons, "FAILED_FINAL", false, "RETRY")
              .put("verdict", "EXHAUSTED")
              .put("attempts", 4)
              .put("lastError", word("no tape in drive 3"))
              .putArray("copies")
              .add(TASK);
      case 16 ->
          reason(reasons, "CANCELLED_BY", false, "RETRY")
              .put("operator", stranger())
              .put("reason", stranger())
              .put("jobId", JOB);
      case 32 -> reason(reasons, "TASK_PAUSED", true, "RESUME_TASK").put("by", stranger());
      default -> reason(reasons, "DONE", false, null).put("endedAt", NOW - 12_000);
    }
    return JSON.createObjectNode().set("why", why);
  }

  private static ObjectNode reason(ArrayNode all, String code, boolean isBlocking, String todo) {
    ObjectNode reason = all.addObject().put("code", code).put("blocking", isBlocking);
    if (todo != null) {
      reason.put("todo", todo);
    }
    return reason.put("text", "The server says " + code + ".").putObject("data");
  }

  private JsonNode history() {
    ObjectNode history = JSON.createObjectNode().put("gaps", true);
    ArrayNode entries = history.putArray("entries");
    String stage = word("synthesize");
    String error = word("no tape in drive 3\n  at Drive.open");
    entries.addObject().put("time", NOW - 7_200_000).put("kind", "CREATED");
    held(entries, -7_100_000, "REPORT", "split", 60_000, 40_000).put("outcome", "NEXT_STAGE");
    held(entries, -6_000_000, "REPORT", stage, 600_000, 500_000)
        .put("outcome", "RETRY")
        .put("errMsg", error);
    held(entries, -4_000_000, "FAILURE", stage, 1_500_000, 400_000).put("verdict", "WORKER_LOST");
    held(entries, -3_700_000, "FAILURE", stage, 100_000, 50_000).put("verdict", "OPERATOR");
    entries
        .addObject()
        .put("time", NOW - 3_600_000)
        .put("kind", "ACT")
        .put("outcome", "RETRY")
        .put("operator", stranger())
        .put("reason", stranger());
    if (taskStatus == 2) {
      held(entries, -40_000, "HELD", stage, 0, 100_000).remove("costMs");
    }
    entries
        .addObject()
        .put("time", NOW - 12_000)
        .put("kind", "CURRENT")
        .put("stage", stage)
        .put("outcome", TaskStatus.ofCode(taskStatus).name());
    return history;
  }

  private ObjectNode held(
      ArrayNode entries, long time, String kind, String stage, long cost, long waited) {
    return entries
        .addObject()
        .put("time", NOW + time)
        .put("kind", kind)
        .put("stage", stage)
        .put("workerId", word("gpu-1"))
        .put("leaseEpoch", 1)
        .put("costMs", cost)
        .put("waitMs", waited)
        .put("traceId", "4bf92f3577b34da6a3ce929d0e0e4736");
  }

  private JsonNode jobMap(Map<String, ?> fields) {
    int from = ((Number) fields.get("from")).intValue();
    int count = Math.min(((Number) fields.get("count")).intValue(), children - from);
    StringBuilder map = new StringBuilder();
    for (int i = from; i < from + count; i++) {
      map.append(
          i < 812 ? 's' : i < 856 ? 'f' : i < 860 ? 'r' : i % 97 == 0 ? 'c' : i < 900 ? 'w' : 'q');
    }
    ObjectNode result = JSON.createObjectNode().put("from", from).put("map", map.toString());
    result.putObject("progress").put("857", 63);
    return result;
  }

  private ObjectNode object(int i) {
    String[] names = {"chapter-1.wav", "manifest.json", "page.html"};
    return JSON.createObjectNode()
        .put("key", TASK + "/synthesize/2/" + names[i])
        .put("bytes", 3_200_000L / (i + 1))
        .put("time", NOW - 30_000);
  }

  /** A sound of a fifth of a second, a document, or a page that would run a script. */
  @Override
  public void read(StoreKey key, HttpServletResponse to) throws IOException {
    byte[] content =
        key.name().endsWith(".wav")
            ? silence()
            : "<!DOCTYPE html><script>window.pwned=1</script>".getBytes(StandardCharsets.UTF_8);
    to.setContentLength(content.length);
    to.getOutputStream().write(content);
  }

  @Override
  public void readInput(String jobId, HttpServletResponse to) throws IOException {
    if (!jobId.equals(JOB)) {
      throw new FlowException(ErrorCode.NO_SUCH_JOB, "there is no job " + jobId);
    }
    byte[] content = "Call me Ishmael.".getBytes(StandardCharsets.UTF_8);
    to.setContentLength(content.length);
    to.getOutputStream().write(content);
  }

  private static byte[] silence() {
    int samples = 1_600;
    ByteBuffer wav = ByteBuffer.allocate(44 + samples).order(ByteOrder.LITTLE_ENDIAN);
    wav.put("RIFF".getBytes(StandardCharsets.US_ASCII)).putInt(36 + samples);
    wav.put("WAVEfmt ".getBytes(StandardCharsets.US_ASCII)).putInt(16);
    wav.putShort((short) 1).putShort((short) 1).putInt(8_000).putInt(8_000);
    wav.putShort((short) 1).putShort((short) 8);
    wav.put("data".getBytes(StandardCharsets.US_ASCII)).putInt(samples);
    Arrays.fill(wav.array(), 44, 44 + samples, (byte) 128);
    return wav.array();
  }

  private JsonNode me() {
    ObjectNode me = JSON.createObjectNode().put("principal", "local").put("kind", kind);
    me.putArray("roles").add(role);
    ArrayNode granted = me.putArray("verbs");
    verbs.forEach(granted::add);
    return csrfToken == null ? me : me.put("csrfToken", csrfToken);
  }

  private ObjectNode task() {
    ObjectNode task = taskOfAJob();
    if (isOfNoJob) {
      task.remove("jobId");
    }
    return task;
  }

  private ObjectNode taskOfAJob() {
    return JSON.createObjectNode()
        .put("userId", stranger())
        .put("taskId", TASK)
        .put("taskType", "tts")
        .put("taskStage", word("synthesize"))
        .put("status", taskStatus)
        .put("priority", 90)
        .put("orderTime", NOW - 70_000)
        .put("crtRetryNum", 1)
        .put("maxRetryNum", 3)
        .put("maxRetryInterval", 0)
        .put("scheduleLog", log())
        .put("taskContext", context())
        .put("createTime", NOW - 7_200_000)
        .put("modifyTime", NOW - 12_000)
        .put("leaseEpoch", 2)
        .put("leaseMs", 18_000)
        .put("workerId", word("gpu-1"))
        .put("deliveryCount", 1)
        .put("traceId", "4bf92f3577b34da6a3ce929d0e0e4736")
        .put("jobId", JOB)
        .put("progress", 63)
        .put("result", word(""));
  }

  private String context() {
    return context == null ? usualContext() : context;
  }

  private String usualContext() {
    ObjectNode context = JSON.createObjectNode();
    context.put("text", word("Call me Ishmael."));
    context.put("number", 1234567890123456789L);
    context.put("api_key", "sk-4711");
    context.putObject("voice").put("model", "kokoro").put("speed", 1.0).putNull("style");
    context.putArray("parts").add(1).add(2).add(stranger());
    context.put(stranger(), "name");
    return context.toString();
  }

  private String log() {
    ArrayNode log = JSON.createObjectNode().putArray("log");
    log.addObject().put("worker", "cpu-9").put("stage", "split").put("costMs", 412);
    log.addObject().put("worker", "gpu-1").put("errMsg", stranger()).put("costMs", 1_204);
    return log.toString();
  }

  private JsonNode taskActs() {
    ObjectNode result = JSON.createObjectNode();
    ArrayNode items = result.putArray("acts");
    if (!isEmpty) {
      items
          .addObject()
          .put("time", NOW - 3_600_000)
          .put("act", "RETRY")
          .put("actor", "key:3Qm81LtzGh")
          .put("operator", stranger())
          .put("reason", word("the model is back"))
          .put("statusBefore", 8)
          .put("statusAfter", 1);
    }
    return result;
  }

  private ObjectNode job(int i) {
    String[] states = {"RUNNING", "SUCCESS", "FAILED", "SPLITTING", "MERGING", "CANCELLED"};
    String state = states[i % states.length];
    ObjectNode job =
        JSON.createObjectNode()
            .put("jobId", String.valueOf(Long.parseLong(JOB) + i))
            .put("userId", stranger())
            .put("jobType", "tts")
            .put("childType", "tts")
            .put("state", state)
            .put("failurePolicy", "FINISH")
            .put("priority", 0)
            .put("createTime", NOW - 600_000 - 90_000L * i)
            .put("modifyTime", NOW)
            .put("merge", true)
            .put("splitTaskId", TASK)
            .put("done", 0)
            .put("failed", 0)
            .put("cancelled", 0);
    if (!state.equals("SPLITTING")) {
      job.put("total", children)
          .put("done", state.equals("SUCCESS") ? children : 812)
          .put("failed", state.equals("SUCCESS") ? 0 : 44)
          .put("cancelled", state.equals("CANCELLED") ? children - 856 : 0);
    }
    if (state.equals("FAILED") || i == 0 && isStrange()) {
      job.put("errMsg", word("44 children failed"));
    }
    if (List.of("SUCCESS", "FAILED", "CANCELLED").contains(state)) {
      job.put("endTime", NOW - 60_000L * i);
    }
    return job.put("result", word(""));
  }

  private ObjectNode child(int i) {
    int[] statuses = {4, 4, 2, 8, 1, 4};
    int status = statuses[i % statuses.length];
    ObjectNode child =
        JSON.createObjectNode()
            .put("index", i)
            .put("taskId", (249835547751612417L + i) + "_tts_task_1")
            .put("taskStage", word("synthesize"))
            .put("status", status);
    if (status != 1) {
      child.put("costMs", 1_100 + 37L * i).put("workerId", word("gpu-1"));
    }
    if (status == 8) {
      child.put("errMsg", word("no tape in drive 3"));
    }
    return status == 2 ? child.put("progress", 63) : child;
  }

  private ObjectNode worker(int i) {
    String[] states = {"alive", "alive", "draining", "paused", "lost", "alive", "stopped"};
    ObjectNode worker =
        JSON.createObjectNode()
            .put("workerId", i == 0 && isStrange() ? stranger() : "gpu-" + (i + 1))
            .put("host", word("node-" + i + ".eu"))
            .put("sdkVersion", word("0.1.0"))
            .put("state", states[i % states.length])
            .put("heldTasks", 2 * i)
            .put("firstBeat", NOW - 86_400_000)
            .put("lastBeat", NOW - 2_000 - (i == 4 ? 600_000 : 0));
    worker.putArray("tooOldFor");
    ObjectNode info = worker.putObject("description").put("version", 12);
    info.putArray("stages").add("tts/synthesize").add("tts/split").add(stranger());
    info.putObject("labels").put("zone", "eu-1").put(stranger(), stranger());
    info.putObject("freeThreads").put("tts", 6).put("lark", 2);
    info.putObject("freeSlots").put("cuda:0", 1).put("cuda:1", 0);
    info.putArray("withheld")
        .addObject()
        .put("stage", word("tts/train"))
        .putArray("requires")
        .add("gpu")
        .add(word("disk"));
    info.putObject("models").put("tts/synthesize", word("kokoro"));
    info.putArray("loaded").add(word("kokoro"));
    info.putArray("queued").add(TASK);
    info.putObject("states")
        .put("worker", "RUNNING")
        .put("health", "healthy")
        .put("stuck", i == 1 && !isCalm ? "2" : "0")
        .put("quarantined", i == 5 ? "cuda:1/0" : "none")
        .put("spooled", "0");
    return worker;
  }

  private ObjectNode type(int i) {
    String[] names = {"tts", "lark", "Render", "report"};
    return JSON.createObjectNode()
        .put("task_type", i < names.length ? names[i] : "type_" + i)
        .put("schedule_limit", 100)
        .put("schedule_interval", 10)
        .put("max_processing_time", 600)
        .put("max_retry_num", 3)
        .put("retry_interval", -10)
        .put("lease_seconds", 30)
        .put("max_delivery", 10)
        .put("roll_threshold", 5_000_000)
        .put("retention_days", i == 0 ? 30 : 0)
        .put("max_executing", i == 0 ? 64 : 0)
        .put("rate_limit", i == 1 ? 50 : 0)
        .put("user_rate_limit", 0)
        .put("min_worker_version", 0)
        .put("paused", i == 2 ? 1 : 0)
        .put("events", 0)
        .put("sealed", 0)
        .put("create_time", NOW - 8_640_000_000L)
        .put("modify_time", NOW - 86_400_000L * (i + 1));
  }

  private ObjectNode table(int i) {
    String[] states = {"OPEN", "FULL", "DRAINED"};
    ObjectNode table =
        JSON.createObjectNode()
            .put("table", "t_tts_task_" + (3 - i))
            .put("number", 3 - i)
            .put("state", states[i % states.length])
            .put("rows", 4_123_456L * (i + 1))
            .put("bytes", 1_900_000_000L)
            .put("createTime", NOW - 86_400_000L * 9 * (i + 1))
            .put("ageSeconds", 86_400L * 9 * (i + 1))
            .put("paused", i == 1);
    return i == 2 ? table.put("drainTime", NOW - 86_400_000L) : table;
  }

  private ObjectNode schedule(int i) {
    String[] states = {"ACTIVE", "ACTIVE", "PAUSED", "ACTIVE", "ENDED"};
    ObjectNode schedule =
        JSON.createObjectNode()
            .put("scheduleId", String.valueOf(Long.parseLong(SCHEDULE) + i))
            .put("name", word("nightly-report-" + i))
            .put("state", states[i % states.length])
            .put("lastFireTime", NOW - 3_600_000)
            .put("fireCount", 812L * (i + 1))
            .put("failStreak", i == 2 ? 5 : 0)
            .put("lateMs", i == 3 ? 42_000 : 0)
            .put("slice", i)
            .put("owner", "flowsvr-1")
            .put("epoch", 3)
            .put("version", 7)
            .put("createTime", NOW - 8_640_000_000L)
            .put("modifyTime", NOW - 86_400_000L);
    if (i == 1) {
      schedule.put("everyMs", 900_000);
    } else {
      schedule.put("cron", "0 30 2 * * *").put("zone", "Europe/Berlin");
    }
    if (!states[i % states.length].equals("ENDED")) {
      schedule.put("nextFireTime", NOW + 7_000_000);
    }
    if (i == 2) {
      schedule.put("lastError", word("paused after 5 failures"));
    }
    schedule
        .putObject("taskData")
        .put("taskType", "report")
        .put("taskStage", "collect")
        .put("userId", stranger())
        .put("taskContext", context());
    return schedule;
  }

  private JsonNode fires() {
    String[] outcomes = {"CREATED", "SKIPPED", "CREATED", "REFUSED", "CREATED", "WITHDRAWN"};
    ObjectNode page = JSON.createObjectNode();
    ArrayNode fires = page.putArray("fireList");
    ArrayNode gaps = page.putArray("gapList");
    for (int i = 0; i < outcomes.length && !isEmpty; i++) {
      long time = NOW - 86_400_000L * (i + 1);
      ObjectNode fire =
          fires
              .addObject()
              .put("fireTime", time)
              .put("outcome", outcomes[i])
              .put("manual", i == 4)
              .put("makeTime", time + (i == 2 ? 42_000 : 3))
              .put("node", "flowsvr-1")
              .put("epoch", 3);
      if (outcomes[i].equals("CREATED")) {
        fire.put("taskId", TASK).put("status", i == 2 ? 8 : 4).put("costMs", 41_000);
      }
    }
    if (!isEmpty) {
      gaps.addObject()
          .put("fromTime", NOW - 864_000_000L)
          .put("toTime", NOW - 777_600_000L)
          .put("fires", 2)
          .put("reason", "MISSED");
    }
    return page;
  }

  private JsonNode preview() {
    ObjectNode preview = JSON.createObjectNode().put("kind", "FIXED");
    ArrayNode times = preview.putArray("times");
    ArrayNode local = preview.putArray("localTimes");
    for (int i = 0; i < 5; i++) {
      times.add(NOW + 7_000_000 + 86_400_000L * i);
      local.add("2026-11-24T02:30:00+01:00");
    }
    return preview;
  }

  private JsonNode status() {
    ObjectNode status =
        JSON.createObjectNode()
            .put("leader", "flowsvr-1")
            .put("term", 7)
            .put("leaderLeaseMs", 9_000)
            .put("writers", 1);
    ArrayNode nodes = status.putArray("nodes");
    for (int i = 1; i <= 2; i++) {
      nodes
          .addObject()
          .put("node", "flowsvr-" + i)
          .put("host", word("10.0.0." + i))
          .put("serverNumber", i)
          .put("startTime", NOW - 90_000_000)
          .put("lastBeat", NOW - 1_500)
          .put("version", "0.1.0")
          .put("weight", 1)
          .put("busy", 3);
    }
    ArrayNode jobs = status.putArray("jobs");
    List<String> names =
        new ArrayList<>(List.of("expired-leases", "table-roll", "retention", "hooks", "act-chain"));
    for (int i = 0; i < names.size(); i++) {
      ObjectNode duty =
          jobs.addObject()
              .put("job", names.get(i))
              .put("node", "flowsvr-1")
              .put("lastRun", NOW - 1_000L * (i + 1))
              .put("costMs", 3 + 7L * i)
              .put("lastEffectiveRun", NOW - 3_600_000);
      duty.putObject("result").put("released", i);
      if (i == 3 && !isCalm) {
        duty.put("error", word("Connect timed out"));
      }
    }
    return status;
  }

  private ObjectNode usage() {
    ObjectNode usage =
        JSON.createObjectNode().put("kind", "DIRECTORY").put("place", word("/var/lib/asyncflow"));
    return isBucket
        ? usage.put("kind", "BUCKET").put("place", "objects/of-asyncflow")
        : usage
            .put("freeBytes", 40L << 30)
            .put("totalBytes", 100L << 30)
            .put("minFreeBytes", 1L << 30);
  }

  private ObjectNode act(int i) {
    String[] acts = {
      "CANCEL", "SAVE", "PAUSE", "RETRY", "DRAIN", "ROLL", "SET_STATUS", "TRIGGER", "START_BULK"
    };
    String[] objects = {
      "task:" + TASK,
      "type:tts",
      "type:lark",
      "job:" + JOB,
      "worker:gpu-1",
      "type:tts",
      "task:" + TASK,
      "schedule:" + SCHEDULE,
      "bulk:" + BULK
    };
    ObjectNode act =
        JSON.createObjectNode()
            .put("id", 900 - i)
            .put("time", NOW - 60_000L * i)
            .put("act", acts[i % acts.length])
            .put("object", objects[i % objects.length])
            .put("actor", "key:3Qm81LtzGh")
            .put("actorIp", "10.1.2.3")
            .put("source", "api")
            .put("operator", i % 3 == 0 ? stranger() : "")
            .put("reason", i % 2 == 0 ? word("maintenance of rack 7") : stranger())
            .put("traceId", "");
    if (i == 0 || i == 6) {
      act.put("taskId", TASK).put("statusBefore", 2).put("statusAfter", 16);
    }
    if (i == 1) {
      ObjectNode detail = act.putObject("detail");
      detail.putObject("before").put("max_executing", 0).put("lease_seconds", 30);
      detail.putObject("after").put("max_executing", 64).put("lease_seconds", 30);
    }
    return act;
  }
}
