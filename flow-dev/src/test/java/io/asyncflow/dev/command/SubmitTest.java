package io.asyncflow.dev.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.asyncflow.api.BareAnswer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** The command against a server that says what a test wants. */
@Timeout(60)
class SubmitTest {
  private static final String WAV = "/api/store/9_tts_task_1/merge/1/speech.wav";
  private static final String MP3 = "/api/store/9_tts_task_1/merge/1/speech.mp3";

  @TempDir Path directory;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final Map<String, String> answers = new LinkedHashMap<>();
  private final Map<String, String> environment = new LinkedHashMap<>();
  private final Set<String> authorizations = new HashSet<>();
  private final List<String> keys = new ArrayList<>();
  private Path text;
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    text = Files.writeString(directory.resolve("my.txt"), "One.\n\nTwo.");
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    ends(
        "SUCCESS",
        "\"result\":\"{\\\"wav\\\":\\\"stored:9_tts_task_1/merge/1/speech.wav\\\","
            + "\\\"noMp3\\\":\\\"No ffmpeg.\\\",\\\"seconds\\\":1.25,\\\"paragraphs\\\":2}\",",
        2,
        0);
    answers.put(
        "/api/job/getJobTasks",
        envelope(
            "{\"taskList\":[{\"index\":0,\"costMs\":30},"
                + "{\"index\":1,\"costMs\":50}],\"nextCursor\":null}"));
    answers.put(
        "/api/task/getTask",
        envelope(
            """
        {"taskData":{"taskId":"9_tts_task_1","status":4,"priority":0,"orderTime":1,"crtRetryNum":0,
         "maxRetryNum":3,"maxRetryInterval":1,"createTime":1,"modifyTime":1,"leaseEpoch":1,
         "deliveryCount":0,"scheduleLog":"{\\"lastData\\":{\\"cost\\":\\"120ms\\"}}"}}
        """));
    answers.put(WAV, "the sound");
    answers.put(MP3, "the sound in less");
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void theSpeechLiesBesideTheTextInTheEnd() throws IOException {
    assertThat(submit()).isZero();
    assertThat(directory.resolve("my.wav")).hasContent("the sound");
    assertThat(lines(out))
        .containsExactly(
            "Job 7",
            "1 of 2",
            "2 of 2",
            "split       0.12 s",
            "synthesize  0.08 s in 2 parts, 0.05 s the median",
            "merge       0.12 s",
            "The speech is 1.3 seconds long (2 paragraphs).",
            "There is no MP3: No ffmpeg.",
            directory.resolve("my.wav").toString());
    assertThat(lines(err)).isEmpty();
    try (var files = Files.list(directory)) {
      assertThat(files).hasSize(2);
    }
  }

  @Test
  void whereThereIsAnMp3ItComesToo() throws IOException {
    answers.computeIfPresent(
        "/api/job/getJob",
        (path, job) ->
            job.replace(
                "\\\"noMp3\\\":\\\"No ffmpeg.\\\"",
                "\\\"mp3\\\":\\\"stored:9_tts_task_1/merge/1/speech.mp3\\\""));
    Path other = directory.resolve("elsewhere");
    assertThat(submit("--out", other.toString())).isZero();
    assertThat(other).hasContent("the sound");
    assertThat(directory.resolve("elsewhere.mp3")).hasContent("the sound in less");
  }

  @Test
  void theSameTextIsTheSameJobUnlessItIsWantedAgain() throws IOException {
    submit();
    submit();
    submit("--user", "somebody else");
    submit("--again");
    submit("--again");
    Files.writeString(text, "One.\n\nThree.");
    submit();
    assertThat(keys).hasSize(6).allMatch(key -> key.length() >= 30);
    assertThat(keys.get(1)).isEqualTo(keys.get(0));
    assertThat(keys.stream().distinct()).hasSize(5);
  }

  @Test
  void aJobThatFailedIsOneWithItsReasons() throws IOException {
    ends("FAILED", "\"errMsg\":\"1 child failed\",", 1, 1);
    answers.put(
        "/api/job/getJobTasks",
        envelope(
            "{\"taskList\":[{\"index\":0,\"status\":4},"
                + "{\"index\":1,\"status\":8,\"errMsg\":\"java.io.IOException: Hoarse.\\n at x\"}],"
                + "\"nextCursor\":null}"));
    assertThat(submit()).isEqualTo(1);
    assertThat(lines(err))
        .containsExactly(
            "asyncflow: The text was not spoken: 1 of 2 parts failed.",
            "  part 2: Hoarse.",
            "The same command looks at job 7 again; --again speaks the text once more.");
    assertThat(directory.resolve("my.wav")).doesNotExist();
  }

  @Test
  void nothingThatAServerSaysCommandsTheTerminal() throws IOException {
    ends("FAILED", "\"errMsg\":\"1 child failed\",", 1, 1);
    answers.put(
        "/api/job/getJobTasks",
        envelope(
            "{\"taskList\":[{\"index\":1,\"status\":8,\"errMsg\":\"Hoarse \\u001b[2J\\rGone\"}],"
                + "\"nextCursor\":null}"));
    submit();
    assertThat(lines(err)).contains("  part 2: Hoarse \uFFFD[2J");

    ends(
        "SUCCESS",
        "\"result\":\"{\\\"wav\\\":\\\"stored:9_tts_task_1/merge/1/speech.wav\\\","
            + "\\\"noMp3\\\":\\\"No \\\\u001b[2J ffmpeg.\\\",\\\"seconds\\\":1.25,\\\"paragraphs\\\":2}\",",
        2,
        0);
    submit();
    assertThat(lines(out)).contains("There is no MP3: No \uFFFD[2J ffmpeg.");
    assertThat(out.toString(UTF_8) + err.toString(UTF_8)).doesNotContain("\u001b");
  }

  @Test
  void aSpeechThatIsNotKeptAnyMoreIsOne() throws IOException {
    answers.remove(WAV);
    assertThat(submit()).isEqualTo(1);
    assertThat(lines(err))
        .first()
        .isEqualTo("asyncflow: The server does not keep the speech any more.");
  }

  @Test
  void whatIsNotUnderstoodIsTwo() {
    assertRefused(
        "submit does not know --agian; did you mean --again?", text.toString(), "--agian");
    assertRefused("submit needs FILE.");
    assertRefused(
        "submit needs a server: say --url URL or set FLOW_URL.", text.toString(), "--again");
    assertRefused(
        "--url must be an http or https URL with a host, such as http://127.0.0.1:8081, and not"
            + " 'far'.",
        text.toString(),
        "--url",
        "far");
  }

  private void assertRefused(String sentence, String... arguments) {
    err.reset();
    assertThat(run(Map.of(), List.of(arguments))).isEqualTo(2);
    assertThat(lines(err))
        .containsExactly("asyncflow: " + sentence, "./asyncflow submit --help says more.");
  }

  @Test
  void aServerThatIsNotThereIsThree() throws IOException {
    server.stop(0);
    assertThat(submit()).isEqualTo(3);
    assertThat(lines(err))
        .singleElement()
        .asString()
        .endsWith("refuses the connection; check that the server runs and that the URL is right");
  }

  @Test
  void aFileThatIsNotThereIsOneBeforeAnythingIsAsked() throws IOException {
    Files.delete(text);
    assertThat(submit()).isEqualTo(1);
    assertThat(lines(err)).containsExactly("asyncflow: There is no file " + text + ".");
    assertThat(keys).isEmpty();
  }

  @Test
  void theKeyMayBeInAFile() throws IOException {
    Path file = Files.writeString(directory.resolve("k"), "a-key\n");
    environment.put("FLOW_API_KEY_FILE", file.toString());
    assertThat(submit()).isZero();
    assertThat(authorizations).containsExactly("Bearer a-key");
  }

  @Test
  void aKeyFileThatIsNotThereIsOneBeforeAnythingIsAsked() {
    environment.put("FLOW_API_KEY_FILE", directory.resolve("absent").toString());
    assertThat(submit()).isEqualTo(1);
    assertThat(lines(err)).singleElement().asString().contains("absent, which cannot be read");
    assertThat(authorizations).isEmpty();
  }

  @Test
  void helpNamesEveryOption() {
    assertThat(run(Map.of(), List.of("--help"))).isZero();
    assertThat(out.toString(UTF_8))
        .contains("--url", "--out", "--user", "--again", "FLOW_API_KEY_FILE");
  }

  private int submit(String... more) {
    List<String> arguments = new ArrayList<>(List.of(text.toString()));
    arguments.addAll(List.of("--url", "http://127.0.0.1:" + server.getAddress().getPort()));
    arguments.addAll(List.of(more));
    return run(environment, arguments);
  }

  private int run(Map<String, String> environment, List<String> arguments) {
    PrintStream console = new PrintStream(out, true, UTF_8);
    PrintStream errors = new PrintStream(err, true, UTF_8);
    return Asyncflow.of(new SubmitCommand(environment, console, errors, false))
        .setOut(new PrintWriter(console, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(errors, true, StandardCharsets.UTF_8))
        .execute(Stream.concat(Stream.of("submit"), arguments.stream()).toArray(String[]::new));
  }

  private void ends(String state, String more, int done, int failed) {
    answers.put(
        "/api/job/progress",
        event("progress", "RUNNING", 1, 0) + event("end", state, done, failed));
    answers.put(
        "/api/job/getJob",
        envelope(
            """
        {"jobData":{"jobId":"7","state":"%s","priority":0,"total":2,"done":%s,"failed":%s,
         "cancelled":0,"splitTaskId":"8_tts_task_1","mergeTaskId":"9_tts_task_1",%s
         "createTime":1,"modifyTime":1,"merge":true}}
        """
                .formatted(state, done, failed, more)));
  }

  private static String event(String name, String state, int done, int failed) {
    return """
        event: %s
        data: {"jobId":"7","state":"%s","total":2,"done":%s,"failed":%s,"cancelled":0,"running":0,"percent":1}

        """
        .formatted(name, state, done, failed);
  }

  private static String envelope(String result) {
    return "{\"code\":0,\"msg\":\"ok\",\"result\":" + result + "}";
  }

  private void answer(HttpExchange exchange) throws IOException {
    String request = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    String path = exchange.getRequestURI().getPath();
    authorizations.add(exchange.getRequestHeaders().getFirst("Authorization"));
    if (path.equals("/api/job/createJob")) {
      keys.add(
          JsonMapper.shared().readTree(request).path("jobData").path("idempotencyKey").asString());
      answers.put(path, envelope("{\"jobId\":\"7\"}"));
    }
    String answer = answers.get(path);
    byte[] body =
        (answer == null ? "{\"code\":8037,\"msg\":\"gone\",\"result\":null}" : answer)
            .getBytes(UTF_8);
    exchange
        .getResponseHeaders()
        .set(
            "Content-Type",
            path.equals("/api/job/progress")
                ? "text/event-stream"
                : path.equals(WAV) || path.equals(MP3)
                    ? "application/octet-stream"
                    : "application/json");
    exchange.getResponseHeaders().set(BareAnswer.TRACE_ID, "7");
    exchange.sendResponseHeaders(answer == null ? 404 : 200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private static List<String> lines(ByteArrayOutputStream printed) {
    return printed.toString(UTF_8).lines().toList();
  }
}
