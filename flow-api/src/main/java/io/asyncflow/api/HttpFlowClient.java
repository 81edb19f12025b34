package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.asyncflow.api.act.ActClient;
import io.asyncflow.api.bulk.BulkClient;
import io.asyncflow.api.event.EventClient;
import io.asyncflow.api.find.FindClient;
import io.asyncflow.api.find.SteerClient;
import io.asyncflow.api.hook.HookClient;
import io.asyncflow.api.key.KeyClient;
import io.asyncflow.api.pause.PauseClient;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.api.stats.StatsClient;
import io.asyncflow.api.table.TableClient;
import io.asyncflow.api.worker.WorkerClient;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/**
 * {@link FlowClient} over HTTP/1.1.
 *
 * <p>Thread-safe; connections are pooled. An interrupt while a call waits ends it with a {@link
 * FlowUnreachableException} and leaves the thread's interrupt flag set.
 */
public final class HttpFlowClient implements FlowClient {

  /** How long an answer may take unless a constructor says otherwise. */
  public static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);

  private static final Answer<String> TASK_ID = Answer.of(TaskIdResult.class, TaskIdResult::taskId);
  private static final Answer<CreateResult> CREATED = Answer.of(CreateResult.class);
  private static final Answer<List<CreateResult>> CREATED_TASKS =
      Answer.of(CreatedTasks.class, CreatedTasks::results);
  private static final Answer<Task> TASK = Answer.of(TaskResult.class, TaskResult::taskData);
  private static final Answer<TaskPage> TASK_PAGE = Answer.of(TaskPage.class);
  private static final Answer<HoldAnswer> HOLD = Answer.of(HoldResult.class, HoldResult::answer);
  private static final Answer<List<ReportResult>> OUTCOMES =
      Answer.of(OutcomesResult.class, judged -> orEmpty(judged.outcomes()));
  private static final Answer<HeartbeatAnswer> HEARTBEAT = Answer.of(HeartbeatAnswer.class);
  private static final Answer<List<TaskTypeSettings>> TASK_TYPES =
      Answer.of(TaskTypesResult.class, configured -> orEmpty(configured.scheduleCfgList()));

  private final HttpTransport http;
  private final JobClient jobs;
  private final ScheduleClient schedules;
  private final EventClient events;
  private final HookClient hooks;
  private final PauseClient pauses;
  private final KeyClient keys;
  private final ActClient acts;
  private final StatsClient stats;
  private final FindClient find;
  private final SteerClient steer;
  private final BulkClient bulk;
  private final WorkerClient workers;
  private final TableClient tables;
  private final StoreClient store;

  /**
   * @param baseUrl address of the server, such as {@code http://127.0.0.1:8081}
   * @param apiKey sent as a bearer token; {@code null} or empty for none
   * @throws IllegalArgumentException if no request can be made with one of them
   */
  public HttpFlowClient(URI baseUrl, String apiKey) {
    this(baseUrl, apiKey, REQUEST_TIMEOUT);
  }

  /**
   * @param requestTimeout how long an answer may take; a hold may take its {@code waitMs} longer. A
   *     download may take any time, but may be silent for so long only
   * @throws IllegalArgumentException if no request can be made with one of them
   */
  public HttpFlowClient(URI baseUrl, String apiKey, Duration requestTimeout) {
    this(baseUrl, apiKey, requestTimeout, null);
  }

  /**
   * @param requestTimeout how long an answer may take; a hold may take its {@code waitMs} longer. A
   *     download may take any time, but may be silent for so long only
   * @param tls for https URLs, such as {@link TrustedRoots#in}; {@code null} for Java's own
   * @throws IllegalArgumentException if no request can be made with one of them
   */
  public HttpFlowClient(URI baseUrl, String apiKey, Duration requestTimeout, SSLContext tls) {
    this(new HttpTransport(checked(baseUrl), apiKey, requestTimeout, tls));
  }

  private HttpFlowClient(HttpTransport http) {
    this.http = http;
    this.jobs = new HttpJobClient(http);
    this.schedules = new HttpScheduleClient(http);
    this.events = new HttpEventClient(http);
    this.hooks = new HttpHookClient(http);
    this.pauses = new HttpPauseClient(http);
    this.keys = new HttpKeyClient(http);
    this.acts = new HttpActClient(http);
    this.stats = new HttpStatsClient(http);
    this.find = new HttpFindClient(http);
    this.steer = new HttpSteerClient(http);
    this.bulk = new HttpBulkClient(http);
    this.workers = new HttpWorkerClient(http);
    this.tables = new HttpTableClient(http);
    this.store = new HttpStoreClient(http);
  }

  private static ServerUrl checked(URI baseUrl) {
    try {
      return new ServerUrl(baseUrl);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("baseUrl must be " + e.getMessage(), e);
    }
  }

  /**
   * A client over the same connections that takes its key from somewhere, such as an {@link
   * ApiKeyFile}.
   *
   * @param keys asked before each call; returns {@code null} or an empty text for no key. A call
   *     whose key is refused is made once more if there is another key by then. While it throws, or
   *     returns what no header can carry, calls end with a {@link FlowUnreachableException} and are
   *     not sent
   */
  public HttpFlowClient withKeyFrom(Supplier<String> keys) {
    return new HttpFlowClient(http.withKeyFrom(Objects.requireNonNull(keys, "keys")));
  }

  /**
   * A client over the same connections whose calls belong to traces. Tasks and jobs that it creates
   * keep the {@code traceparent} of their create, and each hold hands it on.
   *
   * @param source asked before each call, on the thread that makes it; returns the W3C {@code
   *     traceparent} of the current span, or {@code null} for none. What is no {@link TraceParent}
   *     is not sent
   */
  public HttpFlowClient withTraceParentFrom(Supplier<String> source) {
    return new HttpFlowClient(http.withTraceParentFrom(Objects.requireNonNull(source, "source")));
  }

  /**
   * Parses the address of a server, without {@code /api}.
   *
   * @throws IllegalArgumentException if it is none; the message continues the words "must be"
   */
  public static URI parseUrl(String text) {
    return ServerUrl.parse(text).uri();
  }

  /**
   * Checks that a header can carry the API key, and returns it.
   *
   * @throws IllegalArgumentException if it cannot; the message continues the words "must be" and
   *     does not contain the key
   */
  public static String checkApiKey(String apiKey) {
    return HttpTransport.checkApiKey(apiKey);
  }

  @Override
  public CreateResult create(NewTask task) {
    return http.make(createCall(task));
  }

  @Override
  public List<CreateResult> create(List<NewTask> tasks) {
    return http.make(createCall(tasks));
  }

  @Override
  public Task getTask(String taskId) {
    return http.make(getCall(taskId));
  }

  @Override
  public Task getTask(String taskType, String idempotencyKey) {
    return http.make(getCall(taskType, idempotencyKey));
  }

  @Override
  public TaskPage getTaskList(String taskType, TaskPageRequest request) {
    return http.make(listCall(taskType, request));
  }

  @Override
  public TaskPage getUserTaskList(String userId, TaskPageRequest request) {
    return http.make(userListCall(userId, request));
  }

  @Override
  public void cancelTask(String taskId, String operator, String reason) {
    http.make(cancelCall(taskId, operator, reason));
  }

  @Override
  public AsyncFlowClient async() {
    return new HttpAsyncFlowClient(http);
  }

  static Call<CreateResult> createCall(NewTask task) {
    return new Call<>("/api/task/createTask", Map.of("taskData", task), CREATED);
  }

  static Call<List<CreateResult>> createCall(List<NewTask> tasks) {
    return new Call<>("/api/task/createTasks", Map.of("taskDataList", tasks), CREATED_TASKS);
  }

  static Call<Task> getCall(String taskId) {
    return getCall(Map.of("taskId", taskId));
  }

  static Call<Task> getCall(String taskType, String idempotencyKey) {
    return getCall(Map.of("taskType", taskType, "idempotencyKey", idempotencyKey));
  }

  private static Call<Task> getCall(Map<String, String> body) {
    return new Call<>("/api/task/getTask", body, TASK);
  }

  static Call<TaskPage> listCall(String taskType, TaskPageRequest request) {
    GetTaskList body =
        new GetTaskList(taskType, bitsOf(request), request.limit(), request.cursor());
    return new Call<>("/api/task/getTaskList", body, TASK_PAGE);
  }

  static Call<TaskPage> userListCall(String userId, TaskPageRequest request) {
    GetUserTaskList body =
        new GetUserTaskList(userId, bitsOf(request), request.limit(), request.cursor());
    return new Call<>("/api/task/getUserTaskList", body, TASK_PAGE);
  }

  /** The statuses as bits; 0 for all. */
  private static int bitsOf(TaskPageRequest request) {
    return request.statuses().stream().mapToInt(TaskStatus::code).sum();
  }

  static Call<Void> cancelCall(String taskId, String operator, String reason) {
    return new Call<>("/api/task/cancel", new ActOn(taskId, operator, reason), Answer.NONE);
  }

  static Call<String> retryCall(String taskId, String operator, String reason) {
    return new Call<>("/api/task/retry", new ActOn(taskId, operator, reason), TASK_ID);
  }

  @Override
  public String retryTask(String taskId, String operator, String reason) {
    return http.make(retryCall(taskId, operator, reason));
  }

  @Override
  public void setWorkers(String taskId, List<String> workerIds, String operator, String reason) {
    http.post("/api/task/setWorkers", new SetWorkers(taskId, workerIds, operator, reason));
  }

  @Override
  public void restartTask(String taskId, String operator, String reason) {
    http.post("/api/task/restart", new ActOn(taskId, operator, reason));
  }

  @Override
  public void pauseTask(String taskId, boolean stop, String operator, String reason) {
    Integer stops = stop ? 1 : null;
    http.post("/api/task/pause", new PauseTask(taskId, stops, operator, reason));
  }

  @Override
  public void resumeTask(String taskId, String operator, String reason) {
    http.post("/api/task/resume", new ActOn(taskId, operator, reason));
  }

  @Override
  public HoldAnswer hold(HoldRequest request) {
    return postHold(request, request);
  }

  @Override
  public HoldAnswer hold(HoldRequest request, List<Report> reports) {
    return postHold(
        request, new HoldAndReport(request, reports)); // waits longer: an old server may park it
  }

  private HoldAnswer postHold(HoldRequest request, Object body) {
    long waitMs = request.waitMs() == null ? 0 : request.waitMs();
    return http.post("/api/task/hold_task", body, HOLD, Duration.ofMillis(waitMs));
  }

  @Override
  public List<ReportResult> report(List<Report> reports) {
    return http.post("/api/task/set_tasks", Map.of("reports", reports), OUTCOMES);
  }

  @Override
  public HeartbeatAnswer heartbeat(Heartbeat heartbeat) {
    return http.post("/api/worker/heartbeat", heartbeat, HEARTBEAT);
  }

  @Override
  public List<TaskTypeSettings> taskTypes(Duration maxAge) {
    Map<String, Long> body = Map.of("maxAgeMs", maxAge.toMillis());
    return http.post("/api/task_schedule_cfg/list", body, TASK_TYPES);
  }

  @Override
  public void saveTaskType(
      TaskTypeSettings settings,
      Set<TaskTypeSettings.Removable> removed,
      String operator,
      String reason) {
    ObjectNode body = WireJson.treeOf(settings);
    body.put("operator", operator).put("reason", reason);
    body.properties().removeIf(member -> member.getValue().isNull());
    body.remove(List.of("create_time", "modify_time"));
    removed.forEach(setting -> body.putNull(setting.column()));
    http.post("/api/task_schedule_cfg/save", body);
  }

  @Override
  public JobClient jobs() {
    return jobs;
  }

  @Override
  public ScheduleClient schedules() {
    return schedules;
  }

  @Override
  public EventClient events() {
    return events;
  }

  @Override
  public HookClient hooks() {
    return hooks;
  }

  @Override
  public PauseClient pauses() {
    return pauses;
  }

  @Override
  public TableClient tables() {
    return tables;
  }

  @Override
  public WorkerClient workers() {
    return workers;
  }

  @Override
  public KeyClient keys() {
    return keys;
  }

  @Override
  public ActClient acts() {
    return acts;
  }

  @Override
  public StatsClient stats() {
    return stats;
  }

  @Override
  public FindClient find() {
    return find;
  }

  @Override
  public SteerClient steer() {
    return steer;
  }

  @Override
  public BulkClient bulk() {
    return bulk;
  }

  @Override
  public StoreClient store() {
    return store;
  }

  private record GetTaskList(String taskType, int status, Integer limit, String cursor) {}

  private record GetUserTaskList(String userId, int statusList, Integer limit, String cursor) {}

  private record ActOn(String taskId, String operator, String reason) {}

  private record SetWorkers(
      String taskId, List<String> workerIds, String operator, String reason) {}

  private record PauseTask(String taskId, Integer stop, String operator, String reason) {}

  private record TaskIdResult(String taskId) {}

  private record CreatedTasks(List<String> taskIds, List<CreateOutcome> outcomes) {

    List<CreateResult> results() {
      List<CreateResult> results = new ArrayList<>(taskIds.size());
      for (int i = 0; i < taskIds.size(); i++) {
        results.add(new CreateResult(taskIds.get(i), outcomes.get(i)));
      }
      return results;
    }
  }

  private record TaskResult(Task taskData) {}

  private record HoldResult(
      List<Task> taskList,
      List<ReportResult> outcomes,
      Boolean drain,
      Long drainGraceMs,
      Integer minWorkerVersion,
      Boolean paused) {

    HoldAnswer answer() {
      return new HoldAnswer(
          orEmpty(taskList),
          orEmpty(outcomes),
          Boolean.TRUE.equals(drain), // absent means false
          drainGraceMs,
          minWorkerVersion,
          Boolean.TRUE.equals(paused));
    }
  }

  private record HoldAndReport(@JsonUnwrapped HoldRequest hold, List<Report> reports) {}

  private record OutcomesResult(List<ReportResult> outcomes) {}

  private record TaskTypesResult(List<TaskTypeSettings> scheduleCfgList) {}

  private static <T> List<T> orEmpty(List<T> list) {
    return list == null ? List.of() : list;
  }
}
