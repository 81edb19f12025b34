package io.asyncflow.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.net.httpserver.HttpServer;
import io.asyncflow.api.event.EventFilter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import javax.crypto.AEADBadTagException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpFlowClientTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "foo",
        "localhost:8081",
        "//localhost:8081",
        "ftp://localhost",
        "http://",
        "http:///path",
        "http://under_score:8081",
        "http://localhost:99999",
        "http://local host",
        "http://localhost?key=1",
        "http://localhost/#top"
      })
  void aUrlThatNoRequestCanBeMadeOfIsRefusedInOneSentence(String url) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HttpFlowClient.parseUrl(url))
        .withMessage(
            "an http or https URL with a host, such as http://127.0.0.1:8081, and not '%s'", url);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://localhost",
        "HTTPS://flow.example.org",
        "http://[::1]:8081",
        "http://10.0.0.1:8081/behind/a/proxy",
        "http://api",
        "http://api:8081",
        "https://gw/asyncflow/api"
      })
  void anyOtherIsTakenAsItIs(String url) {
    assertThat(HttpFlowClient.parseUrl(url)).isEqualTo(URI.create(url));
    assertThat(HttpFlowClient.parseUrl(url + "/")).isEqualTo(URI.create(url));
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://localhost:8081/api", "http://localhost:8081/api/"})
  void aUrlWithTheBeginningOfTheCallsIsRefusedAndTheRightOneNamed(String url) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HttpFlowClient.parseUrl(url))
        .withMessage(
            "the address of flowsvr without /api, which every call adds: http://localhost:8081");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new HttpFlowClient(URI.create(url), null))
        .withMessageStartingWith("baseUrl must be the address of flowsvr without /api");
  }

  @Test
  void whatAServerSaysIsOneLineAndCommandsNoTerminal() throws Exception {
    String refusal = "{\"code\":8020,\"msg\":\"a\\r\\nERROR forged \\u001b[31m\",\"result\":null}";
    try (StubAnswers server = new StubAnswers(400, refusal, new CopyOnWriteArrayList<>())) {
      assertThatExceptionOfType(FlowException.class)
          .isThrownBy(new HttpFlowClient(server.url(), null)::taskTypes)
          .withMessage("a  ERROR forged \uFFFD[31m");
    }
  }

  @Test
  @Timeout(60)
  void aServerWithoutTlsIsSaidToHaveNone() throws Exception {
    // What Tomcat says to bytes that are no HTTP.
    byte[] refusal = "HTTP/1.1 400 \r\n\r\n".getBytes(UTF_8);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      inTheBackground(() -> answer(server, refusal));
      URI url = URI.create("https://127.0.0.1:" + server.getLocalPort());
      assertThatExceptionOfType(FlowUnreachableException.class)
          .isThrownBy(new HttpFlowClient(url, null)::taskTypes)
          .withMessageStartingWith("flowsvr at " + url + " cannot be reached over TLS (")
          .withMessageEndingWith("); check its certificate and that the URL is right");
    }
  }

  /** As of a gateway that is in trouble itself. */
  @Test
  @Timeout(60)
  void anErrorOfTlsThatIsNotOfTheHandshakeBlamesNoCertificate() throws Exception {
    byte[] internalError = {21, 3, 3, 0, 2, 2, 80};
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      inTheBackground(() -> answer(server, internalError));
      URI url = URI.create("https://127.0.0.1:" + server.getLocalPort());
      assertThatExceptionOfType(FlowUnreachableException.class)
          .isThrownBy(new HttpFlowClient(url, null)::taskTypes)
          .withMessageStartingWith("flowsvr at " + url + " broke off the call ")
          .withMessageContaining("internal_error")
          .withMessageEndingWith("; the call may have taken effect all the same");
    }
  }

  private static void inTheBackground(Runnable server) {
    Thread thread = new Thread(server);
    thread.setDaemon(true);
    thread.start();
  }

  /** The end of the connection is left to the client: it could see an end before the bytes. */
  private static void answer(ServerSocket server, byte[] bytes) {
    try (Socket connection = server.accept()) {
      connection.getOutputStream().write(bytes);
      connection.getInputStream().transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @Timeout(60)
  void aCertificateThatIsNotTrustedIsSaidToBeTheReason(@TempDir Path directory) throws Exception {
    TlsServer.Identity identity = TlsServer.Identity.in(directory);
    try (TlsServer server = new TlsServer(identity)) {
      assertThatExceptionOfType(FlowUnreachableException.class)
          .isThrownBy(new HttpFlowClient(server.url(), null)::taskTypes)
          .withMessageStartingWith("flowsvr at " + server.url() + " cannot be reached over TLS (")
          .withMessageEndingWith("; check its certificate and that the URL is right");
    }
  }

  /** As when a gateway is killed: the call is with the server, and TLS says that it broke. */
  @Test
  @Timeout(60)
  void aCallThatBreaksOffWithinTlsMayHaveBeenCarriedOut(@TempDir Path directory) throws Exception {
    TlsServer.Identity identity = TlsServer.Identity.in(directory);
    Path roots = directory.resolve("roots.pem");
    Files.writeString(roots, "# of our own\n" + identity.pem());
    try (TlsServer server = new TlsServer(identity)) {
      HttpFlowClient client =
          new HttpFlowClient(
              server.url(), null, HttpFlowClient.REQUEST_TIMEOUT, TrustedRoots.in(roots));
      assertThatExceptionOfType(FlowUnreachableException.class)
          .isThrownBy(client::taskTypes)
          .withRootCauseInstanceOf(AEADBadTagException.class)
          .withMessageStartingWith(
              "flowsvr at " + server.url() + " broke off the call /api/task_schedule_cfg/list (")
          .withMessageEndingWith("; the call may have taken effect all the same");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n"})
  void aFileWithoutCertificatesIsNotTrusted(String content, @TempDir Path directory)
      throws Exception {
    Path file = Files.writeString(directory.resolve("roots.pem"), content);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TrustedRoots.in(file))
        .withMessage("a PEM file with certificates that this process can read, and not %s", file);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TrustedRoots.in(directory.resolve("absent")));
  }

  @Test
  void aKeyThatANetworkCouldReadIsSaidOnce() {
    List<String> warnings = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            warnings.add(record.getLevel() + " " + new SimpleFormatter().formatMessage(record));
          }

          @Override
          public void flush() {
            // keeps nothing back
          }

          @Override
          public void close() {
            // has nothing open
          }
        };
    Logger log = Logger.getLogger(HttpFlowClient.class.getName());
    log.addHandler(handler);
    try {
      for (String harmless :
          List.of("https://far", "http://localhost:1", "http://127.0.0.2", "http://[::1]:2")) {
        new HttpFlowClient(URI.create(harmless), "key");
      }
      new HttpFlowClient(URI.create("http://far"), null);
      for (int i = 0; i < 2; i++) {
        new HttpFlowClient(URI.create("http://me:secret@far.example:8081"), "key");
      }
    } finally {
      log.removeHandler(handler);
    }
    assertThat(warnings)
        .containsExactly(
            "WARNING the key is sent to far.example:8081 without TLS, so the network can read it:"
                + " use an https URL");
  }

  @Test
  void aClientWithoutAKeyIsToldFromOneWithAWrongKey() throws Exception {
    String refusal = "{\"code\":8070,\"msg\":\"no valid key\",\"result\":null}";
    try (StubAnswers server = new StubAnswers(401, refusal, new CopyOnWriteArrayList<>())) {
      assertThatExceptionOfType(FlowException.class)
          .isThrownBy(new HttpFlowClient(server.url(), null)::taskTypes)
          .withMessage("no valid key; this client has none");
      assertThatExceptionOfType(FlowException.class)
          .isThrownBy(new HttpFlowClient(server.url(), "wrong")::taskTypes)
          .withMessage("no valid key; this client has another");
    }
  }

  @Test
  void noMessageTellsThePasswordOfAUrl() {
    assertThatExceptionOfType(FlowUnreachableException.class)
        .isThrownBy(new HttpFlowClient(URI.create("http://me:secret@127.0.0.1:1"), null)::taskTypes)
        .withMessageNotContaining("secret");
  }

  @Test
  void aRefusedUrlDoesNotTellItsPassword() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HttpFlowClient.parseUrl("ftp://me:secret@localhost"))
        .withMessageContaining("localhost")
        .withMessageNotContaining("secret");
  }

  @Test
  void aKeyThatNoHeaderCanCarryIsRefusedUntold() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new HttpFlowClient(URI.create("http://localhost"), "secret\n"))
        .withMessageNotContaining("secret");
  }

  @Test
  void whyThereIsNoAnswerIsSaidInWords() {
    assertThatExceptionOfType(FlowUnreachableException.class)
        .isThrownBy(new HttpFlowClient(URI.create("http://127.0.0.1:1"), null)::taskTypes)
        .withMessage(
            "flowsvr at http://127.0.0.1:1 refuses the connection; check that the server runs and"
                + " that the URL is right");
    assertThatExceptionOfType(FlowUnreachableException.class)
        .isThrownBy(new HttpFlowClient(URI.create("http://nowhere.invalid"), null)::taskTypes)
        .withMessage(
            "flowsvr at http://nowhere.invalid has a host name that is unknown; check that the"
                + " server runs and that the URL is right");
  }

  @Test
  void whatIsNullIsNotSentAndWhatIsUnknownIsNotRead() throws Exception {
    List<String> seen = new CopyOnWriteArrayList<>();
    try (StubAnswers server =
        new StubAnswers(
            200,
            "{\"msg\":\"ok\",\"code\":0,\"result\":{\"taskId\":\"1_lark_task_1\",\"new\":1},\"more\":[]}",
            seen)) {
      HttpFlowClient client = new HttpFlowClient(server.url(), null);
      assertThat(client.createTask(NewTask.of("lark", "one", "me", "{}")))
          .isEqualTo("1_lark_task_1");
    }
    assertThat(seen)
        .containsExactly(
            "{\"taskData\":{\"userId\":\"me\",\"taskType\":\"lark\",\"taskStage\":\"one\","
                + "\"taskContext\":\"{}\"}}");
  }

  @Test
  void aHoldMaySendTheWorkerAwayAndMostlyDoesNot() throws Exception {
    HoldRequest hold = new HoldRequest("lark", 5, "w", 0, "h1", null);
    for (boolean drain : List.of(true, false)) {
      String answer =
          "{\"code\":0,\"result\":{\"taskList\":[]" + (drain ? ",\"drain\":true" : "") + "}}";
      try (StubAnswers server = new StubAnswers(200, answer, new CopyOnWriteArrayList<>())) {
        HttpFlowClient client = new HttpFlowClient(server.url(), null);
        assertThat(client.hold(hold))
            .isEqualTo(new HoldAnswer(List.of(), List.of(), drain, null, null, false));
        assertThat(client.holdTasks(hold)).isEmpty();
      }
    }
  }

  @Test
  void reportsGoWithAHold() throws Exception {
    List<String> seen = new CopyOnWriteArrayList<>();
    String answer =
        "{\"code\":0,\"result\":{\"taskList\":[],\"outcomes\":["
            + "{\"taskId\":\"1_lark_task_1\",\"outcome\":\"ACCEPTED\",\"code\":0,\"msg\":\"ok\"}]}}";
    HoldRequest hold = new HoldRequest("lark", 5, "w", 0, "h1", null);
    Report report = Report.of("1_lark_task_1", "w", 1, Outcome.SUCCESS).withReportId("r1");
    try (StubAnswers server = new StubAnswers(200, answer, seen)) {
      HttpFlowClient client = new HttpFlowClient(server.url(), null);
      assertThat(client.hold(hold, List.of(report)))
          .isEqualTo(
              new HoldAnswer(
                  List.of(),
                  List.of(ReportResult.accepted("1_lark_task_1")),
                  false,
                  null,
                  null,
                  false));
    }
    assertThat(seen)
        .containsExactly(
            "{\"taskType\":\"lark\",\"limit\":5,\"workerId\":\"w\",\"waitMs\":0,\"holdId\":\"h1\","
                + "\"reports\":[{\"taskId\":\"1_lark_task_1\",\"workerId\":\"w\",\"leaseEpoch\":1,"
                + "\"outcome\":\"SUCCESS\",\"reportId\":\"r1\"}]}");
  }

  @Test
  void callsCarryTheTraceOfTheirSpan() throws Exception {
    List<String> seen = new CopyOnWriteArrayList<>();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          seen.add("" + exchange.getRequestHeaders().getFirst("traceparent"));
          byte[] answer = "{\"code\":0,\"result\":{\"taskId\":\"1\"}}".getBytes(UTF_8);
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    try {
      String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
      Iterator<String> parents = Arrays.asList(trace, null, "a\nb").iterator();
      HttpFlowClient client =
          new HttpFlowClient(URI.create("http://127.0.0.1:" + server.getAddress().getPort()), null)
              .withTraceParentFrom(parents::next)
              .withKeyFrom(() -> null);
      for (int i = 0; i < 3; i++) {
        client.createTask(NewTask.of("lark", "one", "me", ""));
      }
      assertThat(seen).containsExactly(trace, "null", "null");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void aHoldSaysWhatItPrefers() throws Exception {
    List<String> seen = new CopyOnWriteArrayList<>();
    HoldRequest hold =
        new HoldRequest(
            "lark", 1, "w", 0, "h1", List.of("a", "b"), List.of("a"), 1_000, null, null);
    try (StubAnswers server =
        new StubAnswers(200, "{\"code\":0,\"result\":{\"taskList\":[]}}", seen)) {
      assertThat(new HttpFlowClient(server.url(), null).holdTasks(hold)).isEmpty();
    }
    assertThat(seen)
        .containsExactly(
            "{\"taskType\":\"lark\",\"limit\":1,\"workerId\":\"w\",\"waitMs\":0,\"holdId\":\"h1\","
                + "\"stages\":[\"a\",\"b\"],\"prefer\":[\"a\"],\"othersAfterMs\":1000}");
  }

  @Test
  void aListSaysWhatItIsToShowAndFromWhere() throws Exception {
    List<String> seen = new CopyOnWriteArrayList<>();
    String answer = "{\"code\":0,\"result\":{\"taskList\":[],\"nextCursor\":\"17\"}}";
    TaskPageRequest ended =
        TaskPageRequest.of(TaskStatus.FAILED, TaskStatus.CANCELLED).withLimit(5).withCursor("40");
    try (StubAnswers server = new StubAnswers(200, answer, seen)) {
      HttpFlowClient client = new HttpFlowClient(server.url(), null);
      assertThat(client.getTaskList("lark", ended)).isEqualTo(new TaskPage(List.of(), "17"));
      assertThat(client.getUserTaskList("me", TaskPageRequest.of()).nextCursor()).isEqualTo("17");
    }
    assertThat(seen)
        .containsExactly(
            "{\"taskType\":\"lark\",\"status\":24,\"limit\":5,\"cursor\":\"40\"}",
            "{\"userId\":\"me\",\"statusList\":0}");
  }

  @Test
  void aListOfJobsSaysWhatItIsToShowAndFromWhere() throws Exception {
    List<String> seen = new CopyOnWriteArrayList<>();
    JobListRequest running = new JobListRequest(null, "tts", Set.of(JobState.RUNNING), 5, "40");
    String answer = "{\"code\":0,\"result\":{\"jobList\":[],\"nextCursor\":null}}";
    try (StubAnswers server = new StubAnswers(200, answer, seen)) {
      JobClient client = new HttpFlowClient(server.url(), null).jobs();
      assertThat(client.getJobList(running)).isEqualTo(new JobPage(List.of(), null));
    }
    assertThat(seen)
        .containsExactly(
            "{\"jobType\":\"tts\",\"state\":\"RUNNING\",\"limit\":5,\"cursor\":\"40\"}");
  }

  @Test
  void actsOnATaskMaySayWhoAndWhy() throws Exception {
    List<String> seen = new CopyOnWriteArrayList<>();
    String answer = "{\"code\":0,\"result\":{\"taskId\":\"2_lark_task_9\"}}";
    try (StubAnswers server = new StubAnswers(200, answer, seen)) {
      HttpFlowClient client = new HttpFlowClient(server.url(), null);
      client.cancelTask("1_lark_task_1", "ann", "not needed");
      client.cancelTask("1_lark_task_1");
      assertThat(client.retryTask("1_lark_task_1", "ann", null)).isEqualTo("2_lark_task_9");
      assertThat(client.retryTask("1_lark_task_1")).isEqualTo("2_lark_task_9");
    }
    assertThat(seen)
        .containsExactly(
            "{\"taskId\":\"1_lark_task_1\",\"operator\":\"ann\",\"reason\":\"not needed\"}",
            "{\"taskId\":\"1_lark_task_1\"}",
            "{\"taskId\":\"1_lark_task_1\",\"operator\":\"ann\"}",
            "{\"taskId\":\"1_lark_task_1\"}");
  }

  @Test
  void aRefusalIsToldWithItsCodeAndItsErrors() throws Exception {
    String refusal =
        "{\"msg\":\"taskId is required\",\"code\":8020,\"title\":\"Invalid input\","
            + "\"errors\":[{\"field\":\"taskId\",\"message\":\"is required\"}]}";
    try (StubAnswers server = new StubAnswers(400, refusal, new CopyOnWriteArrayList<>())) {
      HttpFlowClient client = new HttpFlowClient(server.url(), null);
      assertThatExceptionOfType(FlowException.class)
          .isThrownBy(() -> client.getTask(""))
          .satisfies(e -> assertThat(e.errorCode()).isEqualTo(ErrorCode.INVALID_INPUT))
          .satisfies(
              e -> assertThat(e.errors()).containsExactly(new FieldError("taskId", "is required")));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "hello",
        "[]",
        "{}",
        "{\"code\":\"x\"}",
        "{\"code\":404}",
        "null",
        "{\"msg\":\"ok\"} x"
      })
  void anyOtherAnswerIsNotTakenForFlowsvrs(String body) throws Exception {
    try (StubAnswers server = new StubAnswers(200, body, new CopyOnWriteArrayList<>())) {
      assertThatExceptionOfType(FlowUnreachableException.class)
          .isThrownBy(new HttpFlowClient(server.url(), null)::taskTypes)
          .withMessage(
              "what answers at "
                  + server.url()
                  + "/api/task_schedule_cfg/list (HTTP 200) is not flowsvr; check that the URL is"
                  + " right and that no proxy answers in its place");
    }
  }

  /** What a gateway, a firewall or a portal says in the place of flowsvr, at every call alike. */
  @ParameterizedTest
  @CsvSource({
    "200, UNAVAILABLE, true, no proxy answers in its place",
    "302, UNAVAILABLE, true, no proxy answers in its place",
    "404, UNAVAILABLE, true, no proxy answers in its place",
    "408, UNAVAILABLE, true, no proxy answers in its place",
    "429, UNAVAILABLE, true, no proxy answers in its place",
    "500, UNAVAILABLE, true, no proxy answers in its place",
    "502, UNAVAILABLE, true, no proxy answers in its place",
    "503, UNAVAILABLE, true, no proxy answers in its place",
    "301, UNAVAILABLE, false, it refuses this call",
    "400, UNAVAILABLE, false, it refuses this call",
    "403, UNAVAILABLE, false, it refuses this call",
    "405, UNAVAILABLE, false, it refuses this call",
    "414, UNAVAILABLE, false, it refuses this call",
    "431, UNAVAILABLE, false, it refuses this call",
    "501, UNAVAILABLE, false, it refuses this call",
    "401, NOT_AUTHENTICATED, false, it refuses the key of this call",
    "413, TOO_LARGE, false, it takes no body of this size",
  })
  @Timeout(60)
  void aPageInThePlaceOfFlowsvrMeansWhatItsStatusSays(
      int status, ErrorCode code, boolean retryable, String why) throws Exception {
    String page = "<html><body>We are down for maintenance</body></html>";
    Map<String, String> html = Map.of("Content-Type", "text/html");
    StoreKey key = StoreKey.of("4711_lark_task_1", "render", 2, "_context");
    try (StubAnswers server = new StubAnswers(status, page, new CopyOnWriteArrayList<>(), html)) {
      FlowClient client = new HttpFlowClient(server.url(), null);
      List<ThrowingCallable> calls =
          List.of(
              client::taskTypes,
              () -> client.store().put(key, "w", StoreContent.of(new byte[] {1})),
              () -> client.store().open(key),
              () -> client.store().textOf(new StoredText(key, page.length()).toString()),
              () -> client.jobs().openJobInput("7"),
              () -> client.jobs().openJobProgress("7", null),
              () -> client.events().open(EventFilter.ALL, null),
              () -> joined(client.async().getTask("1_lark_task_1")));
      for (ThrowingCallable call : calls) {
        assertThatExceptionOfType(FlowException.class)
            .isThrownBy(call)
            .satisfies(e -> assertThat(e.errorCode()).isEqualTo(code))
            .satisfies(e -> assertThat(e.retryable()).isEqualTo(retryable))
            .withMessageContaining("(HTTP " + status + ") is not flowsvr; ")
            .withMessageContaining(why);
      }
    }
  }

  private static void joined(CompletableFuture<?> call) throws Throwable {
    try {
      call.join();
    } catch (CompletionException e) {
      throw e.getCause();
    }
  }

  /** The type alone does not make it one: some gateways say in plain text that they are down. */
  @Test
  void aTextThatIsNotFlowsvrsIsNoInputOfAJob() throws Exception {
    Map<String, String> plain = Map.of("Content-Type", "text/plain");
    try (StubAnswers server = new StubAnswers(200, "down", new CopyOnWriteArrayList<>(), plain)) {
      assertThatExceptionOfType(FlowUnreachableException.class)
          .isThrownBy(() -> new HttpFlowClient(server.url(), null).jobs().openJobInput("7"))
          .withMessageContaining("(HTTP 200) is not flowsvr");
    }
  }

  private static Map<String, String> ofAnObject(String bytes) {
    return Map.of(
        "Content-Type",
        "application/octet-stream",
        BareAnswer.TRACE_ID,
        "7",
        BareAnswer.BYTES,
        bytes);
  }

  /** As where a gateway sends in chunks what it got of a connection that broke. */
  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void aBodyOfAnotherLengthIsNotTakenForTheWhole(int whole) throws Exception {
    Map<String, String> headers = ofAnObject(String.valueOf(whole));
    StoreKey key = StoreKey.of("4711_lark_task_1", "render", 2, "_context");
    try (StubAnswers server = new StubAnswers(200, "text", new CopyOnWriteArrayList<>(), headers)) {
      StoreClient store = new HttpFlowClient(server.url(), null).store();
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> store.open(key).readAllBytes())
          .withMessage("the body has 4 bytes instead of " + whole);
      assertThatExceptionOfType(FlowUnreachableException.class)
          .isThrownBy(() -> store.textOf(new StoredText(key, whole).toString()));
    }
  }

  @Test
  void aLengthThatIsNoNumberIsNotFlowsvrs() throws Exception {
    Map<String, String> headers = ofAnObject("four");
    StoreKey key = StoreKey.of("4711_lark_task_1", "render", 2, "_context");
    try (StubAnswers server = new StubAnswers(200, "text", new CopyOnWriteArrayList<>(), headers)) {
      assertThatExceptionOfType(FlowUnreachableException.class)
          .isThrownBy(() -> new HttpFlowClient(server.url(), null).store().open(key))
          .withMessageContaining("(HTTP 200) is not flowsvr");
    }
  }

  @Test
  void aTextHasTheLengthThatItsReferenceSays() throws Exception {
    Map<String, String> headers =
        Map.of("Content-Type", "application/octet-stream", BareAnswer.TRACE_ID, "7");
    StoreKey key = StoreKey.of("4711_lark_task_1", "render", 2, "_context");
    try (StubAnswers server = new StubAnswers(200, "täxt", new CopyOnWriteArrayList<>(), headers)) {
      StoreClient store = new HttpFlowClient(server.url(), null).store();
      assertThat(store.textOf(new StoredText(key, 5).toString())).isEqualTo("täxt");
      assertThatExceptionOfType(FlowUnreachableException.class)
          .isThrownBy(() -> store.textOf(new StoredText(key, 4).toString()))
          .withMessage(key + " has 5 bytes instead of 4");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"code\":0,\"result\":{\"taskData\":{\"leaseMs\":\"soon\"}}}",
        "{\"code\":0,\"result\":null}"
      })
  void anAnswerOfAnotherShapeIsSaidToBeUnreadable(String body) throws Exception {
    try (StubAnswers server = new StubAnswers(200, body, new CopyOnWriteArrayList<>())) {
      HttpFlowClient client = new HttpFlowClient(server.url(), null);
      assertThatExceptionOfType(FlowUnreachableException.class)
          .isThrownBy(() -> client.getTask("1_lark_task_1"))
          .withMessageStartingWith("flowsvr's answer to /api/task/getTask cannot be read (")
          .withMessageEndingWith("; check that the versions of client and server are compatible")
          .satisfies(e -> assertThat(e.getMessage()).hasLineCount(1));
    }
  }

  @Test
  @Timeout(60)
  void anInterruptEndsACallAndStaysSet() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      HttpFlowClient client =
          new HttpFlowClient(URI.create("http://127.0.0.1:" + silent.getLocalPort()), null);
      Thread.currentThread().interrupt();
      assertThatExceptionOfType(FlowUnreachableException.class)
          .isThrownBy(client::taskTypes)
          .withMessageStartingWith("the thread was interrupted while it waited for the answer to ");
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  /** Answers everything alike. */
  private static final class StubAnswers implements AutoCloseable {
    private final HttpServer server;

    StubAnswers(int status, String body, List<String> seen) throws IOException {
      this(status, body, seen, Map.of());
    }

    StubAnswers(int status, String body, List<String> seen, Map<String, String> headers)
        throws IOException {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext(
          "/",
          exchange -> {
            seen.add(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
            byte[] answer = body.getBytes(UTF_8);
            headers.forEach(exchange.getResponseHeaders()::add);
            exchange.sendResponseHeaders(status, answer.length == 0 ? -1 : answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
          });
      server.start();
    }

    URI url() {
      return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }

  @Test
  @Timeout(20)
  void anAnswerThatStopsMidwayIsGivenUpInTime() throws Exception {
    try (HalfAnswer server = new HalfAnswer("200 OK", "application/json")) {
      assertThatExceptionOfType(FlowUnreachableException.class)
          .isThrownBy(server.client()::taskTypes)
          .withMessageEndingWith(
              "did not answer /api/task_schedule_cfg/list within 300 ms; the call may have taken"
                  + " effect all the same");
      server.awaitEndOfConnection();
    }
  }

  @Test
  @Timeout(20)
  void aDownloadThatStopsMidwayIsGivenUpInTime() throws Exception {
    String reference = "{\"$stored\":\"4711_lark_task_1/render/2/_context\",\"bytes\":100}";
    try (HalfAnswer server = new HalfAnswer("200 OK", "application/octet-stream")) {
      assertThatExceptionOfType(FlowUnreachableException.class)
          .isThrownBy(() -> server.client().store().textOf(reference))
          .withRootCauseInstanceOf(HttpTimeoutException.class);
      server.awaitEndOfConnection();
    }
  }

  @Test
  @Timeout(20)
  void anInputOfAJobThatStopsMidwayIsGivenUpInTime() throws Exception {
    try (HalfAnswer server = new HalfAnswer("200 OK", "text/plain")) {
      assertThatException()
          .isThrownBy(
              () -> server.client().jobs().openJobInput("7").transferTo(Writer.nullWriter()))
          .satisfies(e -> assertThat(traceOf(e)).contains("HttpTimeoutException"));
      server.awaitEndOfConnection();
    }
  }

  @Test
  @Timeout(20)
  void aRefusalThatStopsMidwayIsGivenUpInTime() throws Exception {
    try (HalfAnswer server = new HalfAnswer("404 Not Found", "application/json")) {
      assertThatExceptionOfType(FlowUnreachableException.class)
          .isThrownBy(() -> server.client().jobs().openJobInput("7"))
          .withMessageContaining("did not answer /api/job/getJobInput within 300 ms");
      server.awaitEndOfConnection();
    }
  }

  /** A server that answers one call, stops midway, and keeps the connection. */
  private static final class HalfAnswer implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final Thread answer;

    HalfAnswer(String status, String contentType) throws IOException {
      answer = new Thread(() -> answer(status, contentType));
      answer.setDaemon(true);
      answer.start();
    }

    FlowClient client() {
      return new HttpFlowClient(
          URI.create("http://127.0.0.1:" + server.getLocalPort()), null, Duration.ofMillis(300));
    }

    private void answer(String status, String contentType) {
      try (Socket socket = server.accept()) {
        socket.getInputStream().read(new byte[1_000]);
        String half =
            "HTTP/1.1 %s\r\nContent-Type: %s\r\nX-Trace-Id: 7\r\nContent-Length: 100\r\n\r\n{\"code\":"
                .formatted(status, contentType);
        socket.getOutputStream().write(half.getBytes(US_ASCII));
        socket.getInputStream().readAllBytes(); // until the other end is closed
      } catch (IOException e) {
        // the client went away, as it should
      }
    }

    void awaitEndOfConnection() throws InterruptedException {
      answer.join();
    }

    @Override
    public void close() throws IOException {
      server.close();
    }
  }

  /** A call that was not made says nothing of what it would have sent. */
  @Test
  void aSourceOfKeysThatFailsIsAnOutageAndNoFaultOfTheCall() throws Exception {
    List<String> seen = new CopyOnWriteArrayList<>();
    try (StubAnswers server = new StubAnswers(200, "{}", seen)) {
      HttpFlowClient client =
          new HttpFlowClient(server.url(), null)
              .withKeyFrom(
                  () -> {
                    throw new IllegalStateException("the vault is sealed");
                  });
      String message =
          "flowsvr at "
              + server.url()
              + " was not called, because there is no key for the call"
              + " (java.lang.IllegalStateException: the vault is sealed)";
      assertThatExceptionOfType(FlowUnreachableException.class)
          .isThrownBy(client::taskTypes)
          .withMessage(message);
      assertThat(client.async().getTask("1_lark_task_1"))
          .failsWithin(Duration.ZERO)
          .withThrowableThat()
          .withCauseInstanceOf(FlowUnreachableException.class)
          .withMessageContaining(message);
      HttpFlowClient secret =
          new HttpFlowClient(server.url(), null).withKeyFrom(() -> "secret\nsecret");
      assertThatExceptionOfType(FlowUnreachableException.class)
          .isThrownBy(secret::taskTypes)
          .withMessageContaining("the key must be printable ASCII characters")
          .satisfies(e -> assertThat(traceOf(e)).doesNotContain("secret\nsecret"));
    }
    assertThat(seen).isEmpty();
  }

  private static String traceOf(Throwable e) {
    StringWriter trace = new StringWriter();
    e.printStackTrace(new PrintWriter(trace));
    return trace.toString();
  }
}
