package io.asyncflow.systemtest.readme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.embedded.Durability;
import io.asyncflow.dev.embedded.EmbeddedMariaDb;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every command of {@code ./asyncflow} as a newcomer has it: in a clone of what is committed here,
 * with a local Maven repository that has nothing of ours, so that what a build takes from there by
 * mistake is missed.
 */
@Tag("faults")
@Timeout(900)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FreshCloneIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Of a first command, which builds. */
  private static final int SECONDS = 600;

  private Path directory;
  private Path clone;
  private Map<String, String> environment;

  @BeforeAll
  void cloneTheCheckout(@TempDir Path temporary) throws IOException {
    assumeTrue(Files.exists(Document.home().resolve(".git")), "only a checkout can be cloned");
    directory = temporary;
    clone = directory.resolve("a clone");
    List<String> git =
        List.of("git", "clone", "--quiet", Document.home().toString(), clone.toString());
    Command.Done cloned = Command.run(git, Map.of(), 60);
    assertThat(cloned.exitCode()).as(cloned.output()).isZero();
    environment =
        Map.of(
            "MAVEN_ARGS",
            "-o -Dmaven.repo.local=" + OtherLibraries.linkedIn(directory.resolve("m2")));
  }

  @Test
  void helpNamesTheCommandsThatAreTriedHere() {
    Document usage = new Document(null, asyncflow("help").output());
    assertThat(usage.all("(?m)^  ([a-z]+) "))
        .containsExactlyInAnyOrder(
            "demo",
            "submit",
            "task",
            "type",
            "job",
            "bulk",
            "schedule",
            "pause",
            "resume",
            "pauses",
            "events",
            "hook",
            "key",
            "seal",
            "audit",
            "dev",
            "server",
            "worker",
            "bench",
            "chaos",
            "completion",
            "help");
  }

  /** With four cores, on which it once had a common pool of threads that waited for each other. */
  @Test
  void demoSpeaksAndEndsSoonAfterItsLastLine() throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command("demo")).redirectErrorStream(true);
    builder.environment().putAll(with("JAVA_TOOL_OPTIONS", "-XX:ActiveProcessorCount=4"));
    Process demo = builder.start();
    String last = "";
    while (!last.endsWith(".wav")) {
      last = demo.inputReader().readLine();
      assertThat(last).as("its output ends without a WAV").isNotNull();
    }
    // 5 s where the machine has nothing else to do.
    boolean ended = demo.waitFor(15, TimeUnit.SECONDS);
    demo.descendants().forEach(ProcessHandle::destroyForcibly);
    demo.destroyForcibly();
    assertThat(Path.of(last)).isRegularFile();
    assertThat(ended).as("ends by itself").isTrue();
    assertThat(demo.exitValue()).isZero();
  }

  @Test
  void demoThatIsKeptLeavesTheConsoleOpen() throws IOException {
    Path text = Files.writeString(directory.resolve("short.txt"), "Hello.\n");
    List<String> demo = command("demo", text.toString(), "--keep");
    try (Background kept = Background.start(directory.resolve("kept.log"), demo, environment)) {
      kept.awaitPrinted("until then, the console is at ");
      List<String> printed = kept.printed().lines().toList();
      String last = printed.get(printed.size() - 1);
      Command.Done page =
          Command.run(
              List.of("curl", "-sS", last.substring(last.indexOf("http"))), environment, 60);
      assertThat(page.output()).contains("<title>Overview · Asyncflow</title>").contains("tts");
    }
  }

  @Test
  void devRunsAndTakesASubmit() throws IOException {
    int port = freePort();
    Path log = directory.resolve("dev.log");
    List<String> dev = command("dev", "--port", Integer.toString(port));
    try (Background stack = Background.start(log, dev, environment)) {
      stack.awaitPrinted("Asyncflow is ready at http://127.0.0.1:" + port);
      Path text = Files.writeString(directory.resolve("my.txt"), "Hello.\n\nIt is me.\n");
      Command.Done submit =
          asyncflow("submit", text.toString(), "--url", "http://127.0.0.1:" + port);
      assertThat(submit.exitCode()).as(submit.output()).isZero();
    }
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files.map(Path::toString)).anyMatch(file -> file.endsWith("my.wav"));
    }
  }

  /** The first calls of the public Java worker, which has no handler but its class Lark. */
  @Test
  void devWithThePathsOfOldClientsIsReadyForTheirWorker() throws IOException {
    int port = freePort();
    String url = "http://127.0.0.1:" + port;
    List<String> dev = command("dev", "--no-worker", "--port", Integer.toString(port));
    Map<String, String> oldPaths = with("FLOW_LEGACY_PATHS", "true");
    try (Background stack = Background.start(directory.resolve("old.log"), dev, oldPaths)) {
      stack.awaitPrinted("Asyncflow is ready at " + url);
      assertThat(curl(url + "/task_schedule_cfg/list")).contains("\"task_type\":\"Lark\"");
      String task =
          "{\"taskData\":{\"user_id\":\"2\",\"task_type\":\"Lark\","
              + "\"task_stage\":\"handleProcess\"}}";
      assertThat(
              curl(url + "/task/create_task", "-H", "Content-Type: application/json", "-d", task))
          .contains("_lark_task_1");
      assertThat(curl(url + "/task/hold_task?task_type=Lark&status=1&limit=100"))
          .contains("handleProcess")
          .contains("\"task_type\":\"Lark\"");
    }
  }

  private static String curl(String... arguments) {
    List<String> command = new ArrayList<>(List.of("curl", "-sS"));
    command.addAll(List.of(arguments));
    return Command.run(command, Map.of(), 60).output();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "schedule list",
        "pauses",
        "pause type lark",
        "resume type lark",
        "audit list",
        "key list --denied",
        "key deny ann --for 2h",
        "key allow ann",
        "task why 1_lark_task_1",
        "task find status:failed",
        "bulk preview RETRY status:failed",
        "bulk list"
      })
  void commandNamesTheServerThatItCannotReach(String command) {
    List<String> words = new ArrayList<>(List.of(command.split(" ")));
    words.addAll(List.of("--url", "http://127.0.0.1:1"));
    Command.Done done = asyncflow(words.toArray(String[]::new));
    assertThat(done.exitCode()).as(done.output()).isEqualTo(3);
    assertThat(done.output()).contains("http://127.0.0.1:1 refuses the connection");
  }

  @Test
  void sealMakesKeysOnce() {
    String keys = directory.resolve("keys.json").toString();
    assertThat(asyncflow("seal", "create", keys).exitCode()).isZero();
    assertThat(asyncflow("seal", "rotate", keys).exitCode()).isZero();
    assertThat(asyncflow("seal", "list", keys).output()).contains("seal now");
    assertThat(asyncflow("seal", "remove", "1", keys).exitCode()).isEqualTo(1);
    Command.Done again = asyncflow("seal", "create", keys);
    assertThat(again.exitCode()).as(again.output()).isEqualTo(1);
    assertThat(again.output()).contains("exists already");
  }

  /**
   * As of cron, and of many a container. A shell spells the name: this JVM's locale may be C, too.
   */
  @Test
  void aFileMayHaveAnyNameInTheLocaleC() {
    String submit =
        """
        file=$1/$(printf 'Gr\\303\\274\\303\\237e.txt')
        echo Hello > "$file"
        exec "$0" submit "$file" --url http://127.0.0.1:1
        """;
    List<String> command =
        List.of("bash", "-c", submit, command("submit").get(0), directory.toString());
    Command.Done done = Command.run(command, with("LC_ALL", "C"), SECONDS);
    assertThat(done.output()).contains("http://127.0.0.1:1").doesNotContain("is not a file");
  }

  @Test
  void serverAndWorkerRunATask() throws IOException {
    int port = freePort();
    URI url = URI.create("http://127.0.0.1:" + port);
    Path data = directory.resolve("mariadb");
    try (EmbeddedMariaDb database = EmbeddedMariaDb.start(data, 0, Durability.RELAXED);
        Background server =
            Background.start(
                directory.resolve("server.log"), command("server"), settings(database, port));
        Background worker =
            Background.start(
                directory.resolve("worker.log"),
                command("worker"),
                with("FLOW_URL", url.toString()))) {
      server.awaitPrinted("Started ");
      worker.awaitPrinted("Started ");
      FlowClient flow = new HttpFlowClient(url, null);
      flow.saveTaskType(TaskTypeSettings.named("lark"));
      String context = "{\"ReqBody\":\"hello\",\"fromAddr\":\"fish\",\"toAddr\":\"bird\"}";
      String task = flow.createTask(NewTask.of("lark", "sendmsg", "ada", context));
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> flow.getTask(task).taskStatus() == TaskStatus.SUCCESS);
    }
  }

  private Map<String, String> settings(EmbeddedMariaDb database, int port) {
    DatabaseEndpoint endpoint = database.endpoint();
    Map<String, String> settings = new HashMap<>(environment);
    settings.put("FLOW_MYSQL_URL", endpoint.jdbcUrl("asyncflow"));
    settings.put("FLOW_MYSQL_USER", endpoint.user());
    settings.put("FLOW_MYSQL_PASSWORD", endpoint.password());
    settings.put("FLOW_PORT", Integer.toString(port));
    settings.put("FLOW_STORE_DIR", directory.resolve("store").toString());
    return settings;
  }

  @Test
  void benchMeasures() {
    Path report = directory.resolve("bench.md");
    Command.Done bench =
        asyncflow(
            "bench", "--mariadb", "--smoke", "--only", "creates", "--report", report.toString());
    assertThat(bench.exitCode()).as(bench.output()).isZero();
    assertThat(report).content().contains("creates/s");
  }

  /** All but the download: the step that would unpack it finds the modules that it stands on. */
  @Test
  void benchFindsItsWayToMySql() throws IOException {
    Map<String, String> settings = new HashMap<>(environment);
    settings.put("HOME", Files.createDirectories(directory.resolve("home")).toString());
    settings.put("MAVEN_USER_HOME", System.getProperty("user.home") + "/.m2");
    settings.merge("MAVEN_ARGS", " -Dmysql.unpacking=none", String::concat);
    settings.put("JAVA_TOOL_OPTIONS", "-Dasyncflow.mysql.home=" + directory.resolve("no-mysql"));
    Command.Done bench = Command.run(command("bench", "--smoke"), settings, SECONDS);
    assertThat(bench.output())
        .contains("Unpacking MySQL", "There is no MySQL at " + directory.resolve("no-mysql"));
  }

  /** A minute, since faults of a shorter time come faster than one server gets up again. */
  @Test
  void chaosFindsNothing() {
    String small = "chaos --tasks 100 --jobs 0 --servers 1 --workers 2 --minutes 1 --seed 1";
    Command.Done chaos = asyncflow(small.split(" "));
    assertThat(chaos.exitCode()).as(chaos.output()).isZero();
    assertThat(chaos.output()).contains("0 lost, 0 phantom");
  }

  private Command.Done asyncflow(String... arguments) {
    return Command.run(command(arguments), environment, SECONDS);
  }

  private List<String> command(String... arguments) {
    return Stream.concat(Stream.of(clone.resolve("asyncflow").toString()), Stream.of(arguments))
        .toList();
  }

  private Map<String, String> with(String name, String value) {
    Map<String, String> settings = new HashMap<>(environment);
    settings.put(name, value);
    return settings;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
