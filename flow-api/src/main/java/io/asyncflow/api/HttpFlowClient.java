package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectReader;
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
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * {@link FlowClient} over HTTP/1.1.
 *
 * <p>Thread-safe; connections are pooled. An interrupt while a call waits ends it with a {@link
 * FlowUnreachableException} and leaves the thread's interrupt flag set.
 */
public final class HttpFlowClient implements FlowClient {

  /** How long an answer may take unless a constructor says otherwise. */
  public static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
  private static final int HIGHEST_PORT = 65_535;

  private static final String AUTHORIZATION = "Authorization";

  private static final String EVENT_STREAM = "text/event-stream";

  /** The prefix of every path. */
  private static final String API = "/api";

  /** The advice where there is no connection. */
  private static final String CHECK = "check that the server runs and that the URL is right";

  /** The caveat of every failure after the request may have arrived. */
  private static final String MAY_HAVE_TAKEN_EFFECT = "the call may have taken effect all the same";

  /** The JDK's messages for an answer in plain text, for which it has no exception class. */
  private static final Set<String> NOT_TLS =
      Set.of(
          "Unsupported or unrecognized SSL message",
          "Unrecognized SSL message, plaintext connection?");

  private static final ObjectReader TASK_ID = envelopeOf(TaskIdResult.class);
  private static final ObjectReader CREATED = envelopeOf(CreateResult.class);
  private static final ObjectReader CREATED_TASKS = envelopeOf(CreatedTasks.class);
  private static final ObjectReader TASK = envelopeOf(TaskResult.class);
  private static final ObjectReader TASK_PAGE = envelopeOf(TaskPage.class);
  private static final ObjectReader HOLD = envelopeOf(HoldResult.class);
  private static final ObjectReader OUTCOMES = envelopeOf(OutcomesResult.class);
  private static final ObjectReader HEARTBEAT = envelopeOf(HeartbeatAnswer.class);
  private static final ObjectReader TASK_TYPES = envelopeOf(TaskTypesResult.class);
  static final ObjectReader NO_RESULT = envelopeOf(Object.class);

  private final URI baseUrl;
  private final Supplier<String> apiKey;
  private final Supplier<String> traceParents;
  private final ClearTextKeys clearText;
  private final Duration requestTimeout;
  private final SSLContext tls;
  private final HttpClient http;
  private final JobClient jobs = new HttpJobClient(this);
  private final ScheduleClient schedules = new HttpScheduleClient(this);
  private final EventClient events = new HttpEventClient(this);
  private final HookClient hooks = new HttpHookClient(this);
  private final PauseClient pauses = new HttpPauseClient(this);
  private final KeyClient keys = new HttpKeyClient(this);
  private final ActClient acts = new HttpActClient(this);
  private final StatsClient stats = new HttpStatsClient(this);
  private final FindClient find = new HttpFindClient(this);
  private final SteerClient steer = new HttpSteerClient(this);
  private final BulkClient bulk = new HttpBulkClient(this);
  private final WorkerClient workers = new HttpWorkerClient(this);
  private final TableClient tables = new HttpTableClient(this);
  private final StoreClient store = new HttpStoreClient(this);
  private HttpClient transfers;

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
    this.baseUrl =
        usable("baseUrl", Objects.requireNonNull(baseUrl), HttpFlowClient::requireUsable);
    this.apiKey = always(apiKey);
    this.traceParents = () -> null;
    this.clearText = ClearTextKeys.sentTo(this.baseUrl);
    if (hasKey()) {
      clearText.warn();
    }
    this.requestTimeout = Objects.requireNonNull(requestTimeout, "requestTimeout");
    this.tls = tls;
    HttpClient.Builder builder = connections();
    if (!"https".equalsIgnoreCase(baseUrl.getScheme())) {
      // The thread that reads the sockets also assembles the answers: neither IncomingBody nor
      // IncomingBytes ever blocks it, and no other thread has to be woken. With TLS the client
      // keeps
      // its own threads, which decrypt.
      builder.executor(Runnable::run);
    }
    this.http = builder.build();
  }

  private HttpFlowClient(
      HttpFlowClient other, Supplier<String> apiKey, Supplier<String> traceParents) {
    this.baseUrl = other.baseUrl;
    this.apiKey = apiKey;
    this.traceParents = traceParents;
    this.clearText = other.clearText;
    this.requestTimeout = other.requestTimeout;
    this.tls = other.tls;
    this.http = other.http;
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
    return new HttpFlowClient(this, Objects.requireNonNull(keys, "keys"), traceParents);
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
    return new HttpFlowClient(this, apiKey, Objects.requireNonNull(source, "source"));
  }

  private static Supplier<String> always(String apiKey) {
    if (apiKey == null || apiKey.isEmpty()) {
      return () -> null;
    }
    String checked = usable("apiKey", apiKey, HttpFlowClient::checkApiKey);
    return () -> checked;
  }

  private HttpClient.Builder connections() {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT);
    return tls == null ? builder : builder.sslContext(tls);
  }

  /**
   * The client for objects of any size. It has threads of its own, so that the thread that reads
   * the sockets of all other calls never waits for a disk.
   */
  private synchronized HttpClient transfers() {
    if (transfers == null) {
      transfers = connections().build();
    }
    return transfers;
  }

  /**
   * Parses the address of a server, without {@code /api}.
   *
   * @throws IllegalArgumentException if it is none; the message continues the words "must be"
   */
  public static URI parseUrl(String text) {
    try {
      return requireUsable(new URI(text));
    } catch (URISyntaxException e) {
      throw notUsable(text);
    }
  }

  /**
   * Checks that a header can carry the API key, and returns it.
   *
   * @throws IllegalArgumentException if it cannot; the message continues the words "must be" and
   *     does not contain the key
   */
  public static String checkApiKey(String apiKey) {
    if (!apiKey.chars().allMatch(c -> c > ' ' && c < 127)) {
      throw new IllegalArgumentException("printable ASCII characters without white space");
    }
    return apiKey;
  }

  private static <T> T usable(String parameter, T value, UnaryOperator<T> check) {
    try {
      return check.apply(value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(parameter + " must be " + e.getMessage(), e);
    }
  }

  private static URI requireUsable(URI url) {
    boolean http = "http".equalsIgnoreCase(url.getScheme());
    boolean https = "https".equalsIgnoreCase(url.getScheme());
    boolean hasQueryOrFragment = url.getRawQuery() != null || url.getRawFragment() != null;
    // java.net.URI and the HTTP client do not accept a host with an underscore.
    if (!(http || https)
        || url.getHost() == null
        || url.getPort() > HIGHEST_PORT
        || hasQueryOrFragment) {
      throw notUsable(url.toString());
    }
    String text = url.toString().replaceAll("/$", "");
    // The whole path is compared: a host or the prefix of a gateway may end in /api, too.
    if (API.equals(URI.create(text).getPath())) {
      throw new IllegalArgumentException(
          "the address of flowsvr without "
              + API
              + ", which every call adds: "
              + withoutPassword(text.substring(0, text.length() - API.length())));
    }
    return URI.create(text);
  }

  private static IllegalArgumentException notUsable(String url) {
    return new IllegalArgumentException(
        "an http or https URL with a host, such as http://127.0.0.1:8081, and not '"
            + OneLine.of(withoutPassword(url))
            + "'");
  }

  private static String withoutPassword(String url) {
    return url.replaceAll("//[^@/]*@", "//…@");
  }

  @Override
  public CreateResult create(NewTask task) {
    return make(createCall(task));
  }

  @Override
  public List<CreateResult> create(List<NewTask> tasks) {
    return make(createCall(tasks));
  }

  @Override
  public Task getTask(String taskId) {
    return make(getCall(taskId));
  }

  @Override
  public Task getTask(String taskType, String idempotencyKey) {
    return make(getCall(taskType, idempotencyKey));
  }

  @Override
  public TaskPage getTaskList(String taskType, TaskPageRequest request) {
    return make(listCall(taskType, request));
  }

  @Override
  public TaskPage getUserTaskList(String userId, TaskPageRequest request) {
    return make(userListCall(userId, request));
  }

  @Override
  public void cancelTask(String taskId, String operator, String reason) {
    make(cancelCall(taskId, operator, reason));
  }

  @Override
  public AsyncFlowClient async() {
    return new HttpAsyncFlowClient(this);
  }

  /**
   * A call that can be made with and without waiting.
   *
   * @param result what the caller gets of the envelope's result
   */
  record Call<T>(String path, Object body, ObjectReader answer, Function<Object, T> result) {}

  static Call<CreateResult> createCall(NewTask task) {
    return new Call<>(
        "/api/task/createTask", Map.of("taskData", task), CREATED, CreateResult.class::cast);
  }

  static Call<List<CreateResult>> createCall(List<NewTask> tasks) {
    return new Call<>(
        "/api/task/createTasks",
        Map.of("taskDataList", tasks),
        CREATED_TASKS,
        created -> ((CreatedTasks) created).results());
  }

  static Call<Task> getCall(String taskId) {
    return getCall(Map.of("taskId", taskId));
  }

  static Call<Task> getCall(String taskType, String idempotencyKey) {
    return getCall(Map.of("taskType", taskType, "idempotencyKey", idempotencyKey));
  }

  private static Call<Task> getCall(Map<String, String> body) {
    return new Call<>("/api/task/getTask", body, TASK, found -> ((TaskResult) found).taskData());
  }

  static Call<TaskPage> listCall(String taskType, TaskPageRequest request) {
    GetTaskList body =
        new GetTaskList(taskType, bitsOf(request), request.limit(), request.cursor());
    return new Call<>("/api/task/getTaskList", body, TASK_PAGE, TaskPage.class::cast);
  }

  static Call<TaskPage> userListCall(String userId, TaskPageRequest request) {
    GetUserTaskList body =
        new GetUserTaskList(userId, bitsOf(request), request.limit(), request.cursor());
    return new Call<>("/api/task/getUserTaskList", body, TASK_PAGE, TaskPage.class::cast);
  }

  /** The statuses as bits; 0 for all. */
  private static int bitsOf(TaskPageRequest request) {
    return request.statuses().stream().mapToInt(TaskStatus::code).sum();
  }

  static Call<Void> cancelCall(String taskId, String operator, String reason) {
    return new Call<>(
        "/api/task/cancel", new ActOn(taskId, operator, reason), NO_RESULT, nothing -> null);
  }

  static Call<String> retryCall(String taskId, String operator, String reason) {
    return new Call<>(
        "/api/task/retry",
        new ActOn(taskId, operator, reason),
        TASK_ID,
        retried -> ((TaskIdResult) retried).taskId());
  }

  @Override
  public String retryTask(String taskId, String operator, String reason) {
    return make(retryCall(taskId, operator, reason));
  }

  @Override
  public void setWorkers(String taskId, List<String> workerIds, String operator, String reason) {
    postWithoutResult("/api/task/setWorkers", new SetWorkers(taskId, workerIds, operator, reason));
  }

  @Override
  public void restartTask(String taskId, String operator, String reason) {
    postWithoutResult("/api/task/restart", new ActOn(taskId, operator, reason));
  }

  @Override
  public void pauseTask(String taskId, boolean stop, String operator, String reason) {
    Integer stops = stop ? 1 : null;
    postWithoutResult("/api/task/pause", new PauseTask(taskId, stops, operator, reason));
  }

  @Override
  public void resumeTask(String taskId, String operator, String reason) {
    postWithoutResult("/api/task/resume", new ActOn(taskId, operator, reason));
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
    HoldResult held = post("/api/task/hold_task", body, HOLD, Duration.ofMillis(waitMs));
    boolean drain = Boolean.TRUE.equals(held.drain()); // absent means false
    return new HoldAnswer(
        orEmpty(held.taskList()),
        orEmpty(held.outcomes()),
        drain,
        held.drainGraceMs(),
        held.minWorkerVersion(),
        Boolean.TRUE.equals(held.paused()));
  }

  @Override
  public List<ReportResult> report(List<Report> reports) {
    OutcomesResult judged = post("/api/task/set_tasks", Map.of("reports", reports), OUTCOMES);
    return orEmpty(judged.outcomes());
  }

  @Override
  public HeartbeatAnswer heartbeat(Heartbeat heartbeat) {
    return post("/api/worker/heartbeat", heartbeat, HEARTBEAT);
  }

  @Override
  public List<TaskTypeSettings> taskTypes(Duration maxAge) {
    Map<String, Long> body = Map.of("maxAgeMs", maxAge.toMillis());
    TaskTypesResult configured = post("/api/task_schedule_cfg/list", body, TASK_TYPES);
    return orEmpty(configured.scheduleCfgList());
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
    exchange("/api/task_schedule_cfg/save", body, NO_RESULT, Duration.ZERO);
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
      Boolean paused) {}

  private record HoldAndReport(@JsonUnwrapped HoldRequest hold, List<Report> reports) {}

  private record OutcomesResult(List<ReportResult> outcomes) {}

  private record TaskTypesResult(List<TaskTypeSettings> scheduleCfgList) {}

  /** The envelope of every answer; {@code errors} only with an error. */
  private record Envelope<T>(Integer code, String msg, T result, List<FieldError> errors) {}

  static ObjectReader envelopeOf(Class<?> result) {
    return WireJson.readerOf(Envelope.class, result);
  }

  <T> T make(Call<T> call) {
    return resultOf(call, exchange(call.path(), call.body(), call.answer(), Duration.ZERO));
  }

  /**
   * Makes a call without waiting. By the client that has threads of its own, because what the
   * caller does with the answer must not stop the thread that reads the sockets.
   */
  <T> CompletableFuture<T> send(Call<T> call) {
    String key;
    try {
      key = key();
    } catch (FlowException e) {
      return CompletableFuture.failedFuture(e);
    }
    HttpRequest request = request(call.path(), key, call.body(), requestTimeout);
    return send(call, request)
        .exceptionallyCompose(
            failure -> {
              String other = isRefused(rootOf(failure)) ? key() : key;
              return Objects.equals(other, key)
                  ? CompletableFuture.failedFuture(failure)
                  : send(call, withKey(request, other));
            })
        .thenApply(result -> resultOf(call, result));
  }

  /** A request for a thread that is not the caller's and knows no trace: it keeps its own. */
  private HttpRequest withKey(HttpRequest request, String key) {
    HttpRequest.Builder copy =
        HttpRequest.newBuilder(request, (name, value) -> !name.equalsIgnoreCase(AUTHORIZATION));
    authorize(copy, key);
    return copy.build();
  }

  private CompletableFuture<Object> send(Call<?> call, HttpRequest request) {
    CompletableFuture<HttpResponse<byte[]>> sent =
        transfers().sendAsync(request, BodyHandlers.ofByteArray());
    CompletableFuture<HttpResponse<byte[]>> inTime =
        sent.thenApply(Function.identity())
            .orTimeout(requestTimeout.toMillis(), TimeUnit.MILLISECONDS);
    inTime.whenComplete((response, failure) -> sent.cancel(true));
    return inTime.handle(
        (response, failure) ->
            mapErrors(
                call.path(),
                requestTimeout,
                () -> {
                  if (failure != null) {
                    throw asOfSend(failure);
                  }
                  return resultOf(
                      call.path(), response.statusCode(), response.body(), call.answer());
                }));
  }

  /** The failure of a call without waiting as the exception of one that waits. */
  private static IOException asOfSend(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof TimeoutException) {
      return new HttpTimeoutException("the answer is not complete");
    }
    return cause instanceof IOException io ? io : new IOException(cause.toString(), cause);
  }

  private <T> T resultOf(Call<T> call, Object result) {
    if (result == null && call.answer() != NO_RESULT) {
      throw unreadable(call.path(), "it has no result", null);
    }
    return call.result().apply(result);
  }

  <T> T post(String path, Object body, ObjectReader answer) {
    return post(path, body, answer, Duration.ZERO);
  }

  <T> T post(String path, Object body, ObjectReader answer, Duration extraWait) {
    T result = exchange(path, body, answer, extraWait);
    if (result == null) {
      throw unreadable(path, "it has no result", null);
    }
    return result;
  }

  /** As {@link #post}, for a call whose answer may have no result. */
  void postWithoutResult(String path, Object body) {
    exchange(path, body, NO_RESULT, Duration.ZERO);
  }

  /** An answer without an envelope, as a stream: it may take any time, but not be silent. */
  InputStream open(String path, Object body) {
    return withKey(key -> opened(http, path, request(path, key, body, requestTimeout)).body());
  }

  /** As {@link #open}, by another HTTP method and for an answer of any size. */
  InputStream download(String path, UnaryOperator<HttpRequest.Builder> method) {
    return withKey(
        key -> {
          HttpRequest request = method.apply(request(path, key, requestTimeout)).build();
          return opened(transfers(), path, request).body();
        });
  }

  private HttpResponse<IncomingBytes> opened(HttpClient client, String path, HttpRequest request) {
    return opened(client, path, request, requestTimeout, Set.of(200));
  }

  /**
   * @param silence how long a body that is expected may be silent
   * @param expected the statuses of answers that are no refusal
   */
  private HttpResponse<IncomingBytes> opened(
      HttpClient client,
      String path,
      HttpRequest request,
      Duration silence,
      Set<Integer> expected) {
    return mapErrors(
        path,
        requestTimeout,
        () -> {
          HttpResponse<IncomingBytes> response =
              client.send(
                  request,
                  info ->
                      new IncomingBytes(
                          expected.contains(info.statusCode()) ? silence : requestTimeout));
          if (expected.contains(response.statusCode())) {
            return response;
          }
          try (InputStream refusal = response.body()) {
            resultOf(path, response.statusCode(), refusal.readAllBytes(), NO_RESULT);
          }
          throw notFlowsvr(path, response.statusCode(), null);
        });
  }

  /** Sends a body of any size that is not JSON; the answer has no result. */
  void upload(String path, UnaryOperator<HttpRequest.Builder> body, Duration extraWait) {
    Duration limit = requestTimeout.plus(extraWait);
    withKey(
        key ->
            send(
                transfers(),
                path,
                body.apply(request(path, key, limit)).build(),
                NO_RESULT,
                limit));
  }

  /** Server-sent events; a stream that is silent for longer than a live server breaks off. */
  IncomingEvents events(String path, String lastEventId) {
    return withKey(key -> events(path, key, lastEventId));
  }

  private IncomingEvents events(String path, String key, String lastEventId) {
    HttpRequest.Builder request =
        request(path, key, requestTimeout).setHeader("Accept", EVENT_STREAM);
    if (lastEventId != null) {
      request.header("Last-Event-ID", lastEventId);
    }
    // 204 is the answer after the last event, which an empty stream tells as well.
    HttpResponse<IncomingBytes> response =
        opened(http, path, request.build(), IncomingEvents.MAX_SILENCE, Set.of(200, 204));
    if (response.statusCode() == 200 && !isEventStream(response)) {
      response.body().close();
      throw notFlowsvr(path, response.statusCode(), null);
    }
    return new IncomingEvents(response.body());
  }

  /** A page of a proxy is none, whatever its status. */
  private static boolean isEventStream(HttpResponse<?> response) {
    return response.headers().firstValue("Content-Type").orElse("").startsWith(EVENT_STREAM);
  }

  private <T> T exchange(String path, Object body, ObjectReader answer, Duration extraWait) {
    Duration limit = requestTimeout.plus(extraWait);
    return withKey(key -> send(http, path, request(path, key, body, limit), answer, limit));
  }

  /** Makes a call, once more if its key was refused, so that it has done nothing, and replaced. */
  private <T> T withKey(Function<String, T> call) {
    String key = key();
    try {
      return call.apply(key);
    } catch (FlowException e) {
      String other = isRefused(e) ? key() : key;
      if (Objects.equals(other, key)) {
        throw e;
      }
      return call.apply(other);
    }
  }

  private static boolean isRefused(Throwable e) {
    return e instanceof FlowException refusal
        && (refusal.errorCode() == ErrorCode.NOT_AUTHENTICATED
            || refusal.errorCode() == ErrorCode.KEY_ENDED);
  }

  private HttpRequest request(String path, String key, Object body, Duration limit) {
    return request(path, key, limit)
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofByteArray(WireJson.bytesOf(body)))
        .build();
  }

  private HttpRequest.Builder request(String path, String key, Duration limit) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(baseUrl + path))
            .timeout(limit)
            .header("Accept", "application/json");
    authorize(request, key);
    TraceParent.parse(traceParents.get())
        .ifPresent(parent -> request.header(TraceParent.HEADER, parent.text()));
    return request;
  }

  private void authorize(HttpRequest.Builder request, String key) {
    if (key != null) {
      clearText.warn();
      request.header(AUTHORIZATION, "Bearer " + key);
    }
  }

  /** The whole exchange within {@code limit}. */
  private <T> T send(
      HttpClient client, String path, HttpRequest request, ObjectReader answer, Duration limit) {
    return mapErrors(
        path,
        limit,
        () -> {
          long begin = System.nanoTime();
          // Not sendAsync: on one or two processors that starts a thread for each answer.
          HttpResponse<IncomingBody> response = client.send(request, info -> new IncomingBody());
          byte[] body = response.body().within(limit.toNanos() - (System.nanoTime() - begin));
          return resultOf(path, response.statusCode(), body, answer);
        });
  }

  private interface Exchange<T> {
    T send() throws IOException, InterruptedException;
  }

  private <T> T mapErrors(String path, Duration limit, Exchange<T> exchange) {
    try {
      return exchange.send();
    } catch (HttpConnectTimeoutException e) {
      long seconds = CONNECT_TIMEOUT.toSeconds();
      throw unreachable("accepts no connection within " + seconds + " s; " + CHECK, e);
    } catch (ConnectException e) {
      throw unreachable(whyNotConnected(e) + "; " + CHECK, e);
    } catch (SSLException e) {
      throw isHandshakeFailure(e) ? notOverTls(e) : broken(path, e);
    } catch (HttpTimeoutException e) {
      throw unreachable(
          "did not answer "
              + path
              + " within "
              + limit.toMillis()
              + " ms; "
              + MAY_HAVE_TAKEN_EFFECT,
          e);
    } catch (IOException e) {
      throw broken(path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FlowUnreachableException(
          "the thread was interrupted while it waited for the answer to "
              + path
              + "; "
              + MAY_HAVE_TAKEN_EFFECT,
          e);
    }
  }

  /** Only then is it certain that the server has seen nothing of the call. */
  private static boolean isHandshakeFailure(SSLException e) {
    return e instanceof SSLHandshakeException
        || rootOf(e)
            instanceof SSLPeerUnverifiedException // wrapped in an exception of the HTTP client
        || (e.getMessage() != null && NOT_TLS.contains(e.getMessage()));
  }

  private FlowUnreachableException notOverTls(SSLException cause) {
    return unreachable(
        "cannot be reached over TLS ("
            + cause.getMessage()
            + "); check its certificate and that the URL is right",
        cause);
  }

  private FlowUnreachableException broken(String path, IOException cause) {
    return unreachable(
        "broke off the call " + path + " (" + cause + "); " + MAY_HAVE_TAKEN_EFFECT, cause);
  }

  /**
   * @param what continues the sentence after the server's address
   */
  private FlowUnreachableException unreachable(String what, Throwable cause) {
    String server = withoutPassword(baseUrl.toString());
    return new FlowUnreachableException(OneLine.of("flowsvr at " + server + " " + what), cause);
  }

  /** A reason for the message, since the HTTP client's exceptions mostly have none. */
  private static String whyNotConnected(ConnectException e) {
    if (rootOf(e) instanceof UnresolvedAddressException) {
      return "has a host name that is unknown";
    }
    return e.getMessage() == null
        ? "refuses the connection"
        : "accepts no connection (" + e.getMessage() + ")";
  }

  private static Throwable rootOf(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  private <T> T resultOf(String path, int status, byte[] body, ObjectReader answer) {
    Envelope<T> envelope;
    try {
      envelope = answer.readValue(body);
    } catch (JsonProcessingException e) {
      throw isEnvelope(e)
          ? unreadable(path, e.getOriginalMessage(), e)
          : notFlowsvr(path, status, e);
    } catch (IOException e) {
      throw notFlowsvr(path, status, e);
    }
    if (envelope == null || envelope.code() == null || !isOfFlowsvr(envelope.code(), status)) {
      throw notFlowsvr(path, status, null);
    }
    if (envelope.code() == 0) {
      return envelope.result();
    }
    ErrorCode code = ErrorCode.of(envelope.code(), status);
    String message = envelope.msg() == null ? "" : OneLine.of(envelope.msg());
    if (code == ErrorCode.NOT_AUTHENTICATED) {
      message += keyThatThisClientHas();
    }
    throw new FlowException(code, message, orEmpty(envelope.errors()), null);
  }

  /** Whether it is the result that cannot be read. */
  private static boolean isEnvelope(JsonProcessingException e) {
    return e instanceof JsonMappingException inside
        && !inside.getPath().isEmpty()
        && "result".equals(inside.getPath().get(0).getFieldName());
  }

  private FlowUnreachableException notFlowsvr(String path, int status, Throwable cause) {
    return new FlowUnreachableException(
        "what answers at "
            + withoutPassword(baseUrl + path)
            + " (HTTP "
            + status
            + ") is not flowsvr; check that the URL is right and that no proxy answers in its"
            + " place",
        cause);
  }

  /** A gateway's answer may be an envelope, too, such as {@code {"code": 404}}. */
  private static boolean isOfFlowsvr(int code, int status) {
    return code == 0 ? status < 400 : code >= 8_000 && code < 9_000;
  }

  private String keyThatThisClientHas() {
    try {
      return hasKey() ? "; this client has another" : "; this client has none";
    } catch (FlowUnreachableException e) {
      return ""; // its source fails just now, which is not why the call was refused
    }
  }

  private boolean hasKey() {
    return key() != null;
  }

  /**
   * The key of the next call; {@code null} for none.
   *
   * @throws FlowUnreachableException if its source fails, which is no fault of the call
   */
  private String key() {
    try {
      String key = apiKey.get();
      return key == null || key.isEmpty()
          ? null
          : usable("the key", key, HttpFlowClient::checkApiKey);
    } catch (RuntimeException e) {
      throw unreachable("was not called, because there is no key for the call (" + e + ")", e);
    }
  }

  private static FlowUnreachableException unreadable(String path, String why, Throwable cause) {
    return new FlowUnreachableException(
        OneLine.of(
            "flowsvr's answer to "
                + path
                + " cannot be read ("
                + why
                + "); check that the versions of client and server are compatible"),
        cause);
  }

  private static <T> List<T> orEmpty(List<T> list) {
    return list == null ? List.of() : list;
  }
}
