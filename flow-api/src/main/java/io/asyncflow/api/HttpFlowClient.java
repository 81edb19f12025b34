package io.asyncflow.api;

import java.net.ConnectException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@link FlowClient} over HTTP/1.1.
 *
 * <p>Thread-safe; connections are pooled. An interrupt while a call waits ends it with a {@link
 * FlowUnreachableException} and leaves the thread's interrupt flag set.
 */
public final class HttpFlowClient implements FlowClient {

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
  private static final int HIGHEST_PORT = 65_535;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final URI baseUrl;
  private final String authorization;
  private final Duration requestTimeout;
  private final HttpClient http;

  /**
   * @param baseUrl of the server, as {@code http://127.0.0.1:8081}
   * @param apiKey sent as a bearer token; {@code null} or empty for none
   * @throws IllegalArgumentException if no request could be made of one of them
   */
  public HttpFlowClient(URI baseUrl, String apiKey) {
    this(baseUrl, apiKey, Duration.ofSeconds(10));
  }

  /**
   * @param requestTimeout how long an answer may take; a hold's {@code waitMs} comes on top
   * @throws IllegalArgumentException if no request could be made of one of them
   */
  public HttpFlowClient(URI baseUrl, String apiKey, Duration requestTimeout) {
    this.baseUrl = requireUsable(Objects.requireNonNull(baseUrl, "baseUrl"));
    this.authorization =
        apiKey == null || apiKey.isEmpty() ? null : "Bearer " + checkApiKey(apiKey);
    this.requestTimeout = Objects.requireNonNull(requestTimeout, "requestTimeout");
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT)
            .build();
  }

  /**
   * The address of a server as people write it.
   *
   * @throws IllegalArgumentException if it is none; the message goes on after "must be"
   */
  public static URI parseUrl(String text) {
    try {
      return requireUsable(new URI(text));
    } catch (URISyntaxException e) {
      throw notUsable(text);
    }
  }

  /**
   * An API key that a header can carry.
   *
   * @throws IllegalArgumentException if it is none; the message goes on after "must be" and does
   *     not tell the key
   */
  public static String checkApiKey(String apiKey) {
    if (!apiKey.chars().allMatch(c -> c > ' ' && c < 127)) {
      throw new IllegalArgumentException("printable ASCII characters without white space");
    }
    return apiKey;
  }

  private static URI requireUsable(URI url) {
    boolean http = "http".equalsIgnoreCase(url.getScheme());
    boolean https = "https".equalsIgnoreCase(url.getScheme());
    boolean asked = url.getRawQuery() != null || url.getRawFragment() != null;
    // A host with an underscore is none to java.net.URI, and to the HTTP client neither.
    if (!(http || https) || url.getHost() == null || url.getPort() > HIGHEST_PORT || asked) {
      throw notUsable(url.toString());
    }
    String text = url.toString();
    return text.endsWith("/") ? URI.create(text.substring(0, text.length() - 1)) : url;
  }

  private static IllegalArgumentException notUsable(String url) {
    return new IllegalArgumentException(
        "an http or https URL with a host, such as http://127.0.0.1:8081, and not '"
            + url.replaceAll("//[^@/]*@", "//…@")
            + "'");
  }

  @Override
  public String createTask(NewTask task) {
    JsonNode result =
        post("/api/task/createTask", Map.of("taskData", withoutNulls(task)), Duration.ZERO);
    return result.path("taskId").asString();
  }

  @Override
  public List<String> createTasks(List<NewTask> tasks) {
    List<JsonNode> items = new ArrayList<>(tasks.size());
    for (NewTask task : tasks) {
      items.add(withoutNulls(task));
    }
    JsonNode result = post("/api/task/createTasks", Map.of("taskDataList", items), Duration.ZERO);
    return listOf(result.path("taskIds"), String.class);
  }

  @Override
  public Task getTask(String taskId) {
    JsonNode result = post("/api/task/getTask", Map.of("taskId", taskId), Duration.ZERO);
    return convert(result.path("taskData"), JSON.constructType(Task.class));
  }

  @Override
  public List<Task> holdTasks(HoldRequest request) {
    long waitMs = request.waitMs() == null ? 0 : request.waitMs();
    JsonNode body = withoutNulls(request);
    JsonNode result = post("/api/task/hold_task", body, Duration.ofMillis(waitMs));
    return listOf(result.path("taskList"), Task.class);
  }

  @Override
  public List<ReportResult> report(List<Report> reports) {
    JsonNode result = post("/api/task/set_tasks", Map.of("reports", reports), Duration.ZERO);
    return listOf(result.path("outcomes"), ReportResult.class);
  }

  @Override
  public HeartbeatAnswer heartbeat(Heartbeat heartbeat) {
    JsonNode result = post("/api/worker/heartbeat", heartbeat, Duration.ZERO);
    return convert(result, JSON.constructType(HeartbeatAnswer.class));
  }

  @Override
  public List<TaskTypeSettings> taskTypes() {
    JsonNode result = post("/api/task_schedule_cfg/list", Map.of(), Duration.ZERO);
    return listOf(result.path("scheduleCfgList"), TaskTypeSettings.class);
  }

  @Override
  public void saveTaskType(TaskTypeSettings settings) {
    ObjectNode body = withoutNulls(settings);
    body.remove(List.of("create_time", "modify_time"));
    post("/api/task_schedule_cfg/save", body, Duration.ZERO);
  }

  private JsonNode post(String path, Object body, Duration extraWait) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(baseUrl + path))
            .header("Content-Type", "application/json")
            .header("Accept", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)));
    if (authorization != null) {
      request.header("Authorization", authorization);
    }
    return resultOf(path, exchange(path, request.build(), requestTimeout.plus(extraWait)));
  }

  /** The whole exchange within {@code limit}; the request's own timeout ends with the headers. */
  private HttpResponse<byte[]> exchange(String path, HttpRequest request, Duration limit) {
    CompletableFuture<HttpResponse<byte[]>> exchange =
        http.sendAsync(request, BodyHandlers.ofByteArray());
    try {
      return exchange.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw noAnswer(path, reasonOf(e.getCause()), e.getCause());
    } catch (TimeoutException e) {
      exchange.cancel(true);
      throw noAnswer(path, "not within " + limit.toMillis() + " ms", e);
    } catch (InterruptedException e) {
      exchange.cancel(true);
      Thread.currentThread().interrupt();
      throw new FlowUnreachableException("interrupted while waiting for " + path, e);
    }
  }

  private FlowUnreachableException noAnswer(String path, String reason, Throwable cause) {
    return new FlowUnreachableException(
        "flowsvr at " + baseUrl + " gave no answer to " + path + ": " + reason, cause);
  }

  /** The client's own messages are mostly missing. */
  private static String reasonOf(Throwable e) {
    if (e instanceof HttpConnectTimeoutException) {
      return "no connection in time";
    }
    if (e instanceof ConnectException) {
      if (rootOf(e) instanceof UnresolvedAddressException) {
        return "its host is unknown";
      }
      return e.getMessage() == null ? "the connection was refused" : e.getMessage();
    }
    return e.toString();
  }

  private static Throwable rootOf(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  private JsonNode resultOf(String path, HttpResponse<byte[]> response) {
    JsonNode envelope;
    try {
      envelope = JSON.readTree(response.body());
    } catch (JacksonException e) {
      throw notFlowsvr(path, response, e);
    }
    if (envelope == null || !envelope.path("code").isInt()) {
      throw notFlowsvr(path, response, null);
    }
    int code = envelope.path("code").asInt();
    if (code == 0) {
      return envelope.path("result");
    }
    List<FieldError> errors = listOf(envelope.path("errors"), FieldError.class);
    throw new FlowException(
        ErrorCode.of(code, response.statusCode()), envelope.path("msg").asString(""), errors, null);
  }

  private FlowUnreachableException notFlowsvr(
      String path, HttpResponse<byte[]> response, Throwable cause) {
    return new FlowUnreachableException(
        "the answer of "
            + baseUrl
            + path
            + " (HTTP "
            + response.statusCode()
            + ") is not flowsvr's envelope; is the URL right?",
        cause);
  }

  private static ObjectNode withoutNulls(Object value) {
    ObjectNode node = JSON.valueToTree(value);
    node.removeNulls();
    return node;
  }

  private static <T> List<T> listOf(JsonNode node, Class<T> element) {
    if (!node.isArray()) {
      return List.of();
    }
    return convert(node, JSON.getTypeFactory().constructCollectionType(List.class, element));
  }

  private static <T> T convert(JsonNode node, JavaType type) {
    try {
      return JSON.treeToValue(node, type);
    } catch (JacksonException e) {
      throw new FlowUnreachableException("flowsvr's answer cannot be read: " + e.getMessage(), e);
    }
  }
}
