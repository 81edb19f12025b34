package io.asyncflow.flowsvr.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.BareAnswer;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.StoreClient;
import io.asyncflow.api.StoreContent;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.wire.Wire.Answer;
import io.asyncflow.rules.TaskType;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The context store over HTTP: what goes in comes out, and who may put it there. */
@RunningServer
class StoreWireIT {

  private static final Path UPLOADS = Path.of(RunningServer.STORE, "uploads");

  @LocalServerPort int port;
  @Autowired Given given;
  @TempDir Path directory;

  private Wire wire;
  private StoreClient store;
  private TaskType type;
  private Task held;

  @BeforeEach
  void holdATask() {
    wire = new Wire(port);
    store = new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null).store();
    type = given.aType().create();
    given.aWaitingTask().ofType(type).inStage("render").create();
    held = given.aHold(type).theTask();
  }

  private StoreKey key(String name) {
    return StoreKey.of(held.taskId(), "render", held.leaseEpoch(), name);
  }

  private void put(StoreKey key, String workerId) {
    store.put(key, workerId, StoreContent.of("some text".getBytes(UTF_8)));
  }

  private byte[] read(StoreKey key) throws IOException {
    try (InputStream in = store.open(key)) {
      return in.readAllBytes();
    }
  }

  private Answer put(String path, String body) {
    return wire.send(wire.request("/api/store/" + path).PUT(BodyPublishers.ofString(body)));
  }

  private static ErrorCode refusalOf(Runnable call) {
    try {
      call.run();
    } catch (FlowException e) {
      return e.errorCode();
    }
    throw new AssertionError("was not refused");
  }

  @Test
  void objectsOfAnySizeComeBackAsTheyWerePut() throws IOException {
    for (int length : List.of(0, 1, 4_097, 256 * 1024, 256 * 1024 + 1, 5_000_000)) {
      byte[] bytes = new byte[length];
      new Random(length).nextBytes(bytes);
      Path file = Files.write(directory.resolve("object"), bytes);
      StoreKey key = key("of-" + length);

      store.put(key, held.workerId(), StoreContent.of(file));

      assertThat(read(key)).isEqualTo(bytes);
    }
  }

  /** {@code -Dasyncflow.test.object-mb=200} with a heap that is smaller than that. */
  @Test
  void objectThatIsLargerThanAHeapGoesThrough() throws IOException {
    long bytes = Long.getLong("asyncflow.test.object-mb", 16) << 20;
    Path large = directory.resolve("large");
    try (RandomAccessFile file = new RandomAccessFile(large.toFile(), "rw")) {
      file.setLength(bytes);
    }

    store.put(key("large"), held.workerId(), StoreContent.of(large));

    try (InputStream in = store.open(key("large"))) {
      assertThat(in.transferTo(OutputStream.nullOutputStream())).isEqualTo(bytes);
    }
  }

  @Test
  void answerIsTheEnvelopeForPutAndTheBytesForGet() {
    Answer answer = put(key("a.txt") + "?workerId=worker", "{\"a\":1}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.code()).isZero();

    var object = wire.send(wire.request("/api/store/" + key("a.txt")).GET()).http();
    assertThat(object.body()).isEqualTo("{\"a\":1}");
    assertThat(object.headers().firstValue(BareAnswer.BYTES)).hasValue("7");

    var found = wire.send(wire.request("/api/store/" + key("missing")).GET()).http();
    assertThat(found.statusCode()).isEqualTo(404);
    assertThat(found.body()).contains("\"code\":8037");
    assertThat(found.headers().firstValue(BareAnswer.TRACE_ID)).isPresent();
  }

  /** As {@code curl -X PUT --data-binary @file} sends it. */
  @Test
  void objectThatIsSentAsAFormIsStoredAsItIs() throws IOException {
    StoreKey key = key("form");
    byte[] bytes = "a=1&b=%zz&".repeat(100_000).getBytes(UTF_8);

    Answer answer =
        wire.send(
            wire.request("/api/store/" + key + "?workerId=worker")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .PUT(BodyPublishers.ofByteArray(bytes)));

    assertThat(answer.code()).isZero();
    assertThat(read(key)).isEqualTo(bytes);
  }

  @Test
  void onlyTheHoldThatMayReportMayWrite() throws IOException {
    StoreKey key = key("a");
    StoreKey later = StoreKey.of(held.taskId(), "render", held.leaseEpoch() + 1, "a");
    StoreKey ofOtherStage = StoreKey.of(held.taskId(), "merge", held.leaseEpoch(), "a");
    StoreKey ofNoTask = StoreKey.of("1_" + type.name() + "_task_1", "render", 1, "a");

    assertThat(refusalOf(() -> put(key, "stranger"))).isEqualTo(ErrorCode.LEASE_LOST);
    assertThat(refusalOf(() -> put(later, held.workerId()))).isEqualTo(ErrorCode.LEASE_LOST);
    assertThat(refusalOf(() -> put(ofOtherStage, held.workerId())))
        .isEqualTo(ErrorCode.INVALID_INPUT);
    assertThat(refusalOf(() -> put(ofNoTask, held.workerId()))).isEqualTo(ErrorCode.NO_SUCH_TASK);

    given.letPass(1, TimeUnit.HOURS, held);
    put(key, held.workerId()); // its lease is over, and its report would still count
    assertThat(read(key)).isEqualTo("some text".getBytes(UTF_8));
  }

  @Test
  void hasNoMoreToWriteWhoHasReported() {
    given.reportOn(held).nextStage("render", "{}", null);
    assertThat(refusalOf(() -> put(key("a"), held.workerId()))).isEqualTo(ErrorCode.LEASE_LOST);

    Task again = given.aHold(type).by("another").theTask();
    assertThat(refusalOf(() -> put(key("a"), held.workerId()))).isEqualTo(ErrorCode.LEASE_LOST);

    given.reportOn(again).success("done");
    StoreKey key = StoreKey.of(again.taskId(), "render", again.leaseEpoch(), "a");
    assertThat(refusalOf(() -> put(key, "another"))).isEqualTo(ErrorCode.TRANSITION_NOT_ALLOWED);
  }

  @Test
  void hostileKeysReachNoFile() {
    String task = held.taskId();
    List<String> paths =
        List.of(
            task + "/render/1/.hidden",
            task + "/render/1/a%20b",
            task + "/render/1/a%00b",
            task + "/render/1/%2e%2e",
            task + "/render/1/..%5c..%5ca",
            task + "/render/1/CON",
            task + "/render/1/nul.wav",
            task + "/render/1/" + "a".repeat(101),
            task + "/re.nder/1/a",
            task + "/render/0/a",
            task + "/render/99999999999/a",
            "0_x_task_1/render/1/a",
            task + "/render/1/..%2f..%2fa",
            task + "/render/1/../../../a",
            "..%2f..%2f/render/1/a",
            "%252e%252e/render/1/a");
    for (String path : paths) {
      Answer put = put(path + "?workerId=worker", "x");
      Answer get = wire.get("/api/store/" + path);
      assertThat(List.of(put.status(), get.status())).as(path).allMatch(s -> s >= 400 && s < 500);
      assertThat(List.of(put.code(), get.code())).as(path).containsOnly(8020);
    }
  }

  @Test
  void everythingThatIsWrongIsSaidAtOnce() {
    Answer answer =
        wire.send(
            wire.request("/api/store/" + held.taskId() + "/render/1/.x")
                .header("Content-Digest", "md5=:AA==:")
                .PUT(BodyPublishers.ofString("x")));
    assertThat(answer.code()).isEqualTo(8020);
    assertThat(answer.badFields()).containsExactly("key", "workerId", "Content-Digest");
  }

  @Test
  void uploadWithoutALengthOrWithAWrongDigestIsRefused() throws IOException {
    String path = "/api/store/" + key("a") + "?workerId=worker";
    Answer chunked =
        wire.send(
            wire.request(path)
                .PUT(BodyPublishers.ofInputStream(() -> InputStream.nullInputStream())));
    assertThat(chunked.code()).isEqualTo(8020);
    assertThat(chunked.badFields()).containsExactly("Content-Length");

    Answer wrong =
        wire.send(
            wire.request(path)
                .header("Content-Digest", "sha-256=:" + "A".repeat(43) + "=:")
                .PUT(BodyPublishers.ofString("x")));
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.code()).isEqualTo(8021);
    assertThat(wire.get("/api/store/" + key("a")).code()).isEqualTo(8037);
  }

  @Test
  void refusedUploadSeesWhyHoweverLargeItIs() throws IOException {
    Path large = Files.write(directory.resolve("large"), new byte[40 << 20]);

    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> store.put(key("a"), "stranger", StoreContent.of(large)))
        .matches(e -> e.errorCode() == ErrorCode.LEASE_LOST);
  }

  @Test
  void brokenOffUploadLeavesNothing() throws IOException {
    String path = "/api/store/" + key("broken") + "?workerId=worker";
    String head = "PUT " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n";
    long before = unfinished();
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.getOutputStream().write((head + "x".repeat(100_000)).getBytes(UTF_8));
      socket.getOutputStream().flush();
      await().atMost(Duration.ofSeconds(30)).until(() -> unfinished() > before);
    }
    await().atMost(Duration.ofSeconds(30)).until(() -> unfinished() <= before);

    assertThat(wire.get("/api/store/" + key("broken")).code()).isEqualTo(8037);
  }

  private static long unfinished() throws IOException {
    if (!Files.exists(UPLOADS)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(UPLOADS)) {
      return files.count();
    }
  }
}
