package io.asyncflow.systemtest.readme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.systemtest.readme.Document.Block;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Plays the README from its first block to its last, and then the guides to jobs and schedules. A
 * block that nothing here can run fails.
 */
@Tag("faults")
class ReadmeIT {

  private static final String SHOWN_ADDRESS = "localhost:8081";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** For a curl that does not know --json yet. */
  private static final String CURL =
      """
      if ! curl --help all | grep -q -- --json; then
        curl() {
          local argument arguments=()
          for argument; do
            if [[ $argument = --json ]]; then
              arguments+=(-H 'Content-Type: application/json' -d)
            else
              arguments+=("$argument")
            fi
          done
          command curl "${arguments[@]}"
        }
      fi
      """;

  /** What the reader of the Spring example has already. */
  private static final String APPLICATION =
      """
      package readme;

      import io.asyncflow.worker.autoconfigure.WorkerLifecycle;
      import org.springframework.boot.SpringApplication;
      import org.springframework.boot.autoconfigure.SpringBootApplication;

      @SpringBootApplication
      public class ReadmeApplication {
        public static void main(String[] args) {
          var context = SpringApplication.run(ReadmeApplication.class, args);
          System.out.println(
              context.getBean(WorkerLifecycle.class).worker().orElseThrow().settings());
        }
      }
      """;

  private final Shown shown = new Shown();
  private final List<Background> running = new ArrayList<>();
  private Path directory;
  private Path home;
  private String address;

  /**
   * A home of our own with what has been built, so that no data of the developer's is touched; and
   * not in the checkout, whose path may have spaces in it, which moves the speech elsewhere.
   */
  @BeforeEach
  void installInADirectoryOfItsOwn() throws IOException {
    directory = Files.createTempDirectory("asyncflow-readme-");
    home = Files.createDirectory(directory.resolve("home"));
    for (String module : List.of("flowsvr", "worker-example")) {
      Files.createSymbolicLink(home.resolve(module), Document.home().resolve(module));
    }
  }

  @AfterEach
  void stopAndDelete() throws IOException {
    for (int i = running.size() - 1; i >= 0; i--) {
      running.get(i).close();
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Test
  void everythingInItRuns() throws IOException {
    assumeTrue(Command.run(List.of("bash", "-c", "type curl"), Map.of(), 10).exitCode() == 0);
    play("README.md");
    play("docs/jobs.md");
    play("docs/schedules.md");
    assertThat(running).as("the stack, three programs and the application").hasSize(5);
  }

  private void play(String document) throws IOException {
    ListIterator<Block> blocks = Document.read(document).blocks().listIterator();
    String spring = null;
    while (blocks.hasNext()) {
      Block block = blocks.next();
      try {
        switch (block.language()) {
          case "bash" -> run(block.code(), blocks.next());
          case "java" -> {
            if (!JavaCode.isProgram(block.code())) {
              spring = block.code();
            } else if (isText(blocks)) {
              runToItsEnd(block.code(), blocks.next().code());
            } else {
              runProgram(block.code());
            }
          }
          case "yaml" -> runApplication(spring, block.code());
          case "xml" -> canBeDependedOn(block.code());
          case "text" -> namesWhatExists(block.code());
          default -> throw new AssertionError("nobody knows how to run it");
        }
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(document + ", " + block + ":\n" + e.getMessage() + logs(), e);
      }
    }
  }

  /** Whether the next block shows what a program prints that ends by itself. */
  private static boolean isText(ListIterator<Block> blocks) {
    if (!blocks.hasNext()) {
      return false;
    }
    Block next = blocks.next();
    blocks.previous();
    return next.language().equals("text");
  }

  /** The end of every program's log, for they are deleted like all else. */
  private String logs() throws IOException {
    StringBuilder ends = new StringBuilder();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path log : files.filter(this::isLog).toList()) {
        List<String> lines = Files.readAllLines(log);
        ends.append("\n--- ").append(directory.relativize(log)).append('\n');
        lines.stream()
            .skip(Math.max(0, lines.size() - 20))
            .forEach(l -> ends.append(l).append('\n'));
      }
    }
    return ends.toString();
  }

  private boolean isLog(Path file) {
    boolean ofAProgram = file.getParent().equals(directory) || file.getParent().endsWith("logs");
    return ofAProgram && file.toString().endsWith(".log");
  }

  private void run(String command, Block answer) throws IOException {
    if (command.equals("./asyncflow demo")) {
      demo(answer.code());
      startStack();
    } else if (command.startsWith("./asyncflow submit ")) {
      submit(command, answer.code());
    } else if (command.equals("./mvnw verify")) {
      verify(answer.code());
    } else if (command.startsWith("curl ")) {
      assertThat(answer.language()).isEqualTo("json");
      curl(command, answer.code());
    } else {
      throw new AssertionError("nobody knows how to run it");
    }
  }

  private void demo(String expected) {
    assertThat(Document.home().resolve("asyncflow")).isExecutable();
    Command.Done demo = Command.run(launcher("demo"), Map.of(), 180);
    assertThat(demo.exitCode()).as(demo.output()).isZero();
    // The line about the build comes from the script, and only where there is something to build.
    String script = Document.read("asyncflow").text();
    String seen =
        expected.lines().filter(line -> script.contains("\"" + line + "\"")).findFirst().orElse("")
            + "\n"
            + seen(demo);
    Shown.compareLines(expected, seen);
    assertThat(demo.output().lines().reduce((first, last) -> last).map(Path::of).orElseThrow())
        .isRegularFile();
  }

  /** In the directory of the text, as its reader does. */
  private void submit(String command, String expected) throws IOException {
    Path text = Files.writeString(directory.resolve("my.txt"), "Hello.\n\nIt is me.\n");
    List<String> arguments =
        Stream.of(command.split(" "))
            .skip(1)
            .map(argument -> argument.equals("my.txt") ? text.toString() : argument)
            .map(argument -> argument.replace(SHOWN_ADDRESS, address))
            .toList();
    Command.Done submit = Command.run(launcher(arguments.toArray(String[]::new)), Map.of(), 120);
    assertThat(submit.exitCode()).as(submit.output()).isZero();
    Shown.compareLines(expected, seen(submit).replace(directory + "/", ""));
    assertThat(directory.resolve("my.wav")).isRegularFile();
  }

  /**
   * What a reader sees: of a bar that is drawn again and again the last one; no MP3, which is made
   * where there is an ffmpeg; and nothing of root or of a machine that is slow.
   */
  private static String seen(Command.Done done) {
    return done.output()
        .replaceAll(".*\r", "")
        .replaceAll("(?m)^(Started as root|Waiting for ).*\n", "")
        .replaceAll(
            "(?m)^.*\\.mp3$",
            "There is no MP3: ffmpeg is not installed where the speech was merged.");
  }

  /** It is what runs this test; of its answer only the modules and the verdict can be compared. */
  private static void verify(String expected) {
    assertThat(Document.home().resolve("mvnw")).isExecutable();
    List<String> modules = Document.read("pom.xml").all("<module>([^<]+)</module>");
    String lines =
        Stream.concat(Stream.of("asyncflow"), modules.stream())
            .map(module -> "[INFO] " + module + " … SUCCESS\n")
            .collect(Collectors.joining());
    String version =
        Document.read("pom.xml").all("<version>([^<]+-SNAPSHOT|[0-9.]+)</version>").get(1);
    assertThat(expected)
        .isEqualTo(
            "[INFO] Reactor Summary for asyncflow "
                + version
                + ":\n[INFO]\n"
                + lines
                + "[INFO] BUILD SUCCESS");
  }

  private void startStack() {
    int port = freePort();
    Background stack =
        Background.start(
            directory.resolve("dev.log"), launcher("dev", "--port", Integer.toString(port)));
    running.add(stack);
    stack.awaitPrinted("Asyncflow is ready at http://127.0.0.1:" + port);
    address = "127.0.0.1:" + port;
  }

  /** What {@code ./asyncflow} starts after it has looked for Java and built what is missing. */
  private List<String> launcher(String... arguments) {
    return Command.java(
        System.getProperty("java.class.path"),
        List.of("-Dasyncflow.home=" + home, "-Dasyncflow.terminal=true"),
        Stream.concat(Stream.of("io.asyncflow.dev.command.DevLauncher"), Stream.of(arguments))
            .toList());
  }

  /**
   * Reads are asked again for a while: a reader is slower than a worker, and we are not. So is a
   * team of all workers, of which servers know some two seconds after their start: a refused create
   * has made nothing.
   */
  private void curl(String command, String expected) {
    String real = shown.real(command).replace(SHOWN_ADDRESS, address);
    if (command.contains("/getTask?")
        || command.contains("/getJob?")
        || command.contains("\"team\"")) {
      Awaitility.await()
          .atMost(PATIENCE)
          .untilAsserted(() -> shown.compare(expected, answerTo(real)));
    } else {
      shown.compare(expected, answerTo(real));
    }
  }

  private static String answerTo(String command) {
    Command.Done done = Command.run(List.of("bash", "-c", CURL + command), Map.of(), 60);
    assertThat(done.exitCode()).as(done.output()).isZero();
    return done.output();
  }

  private void runProgram(String source) throws IOException {
    running.add(
        Background.start(
            directory.resolve(JavaCode.nameOf(source) + ".log"), compiledProgram(source)));
  }

  private void runToItsEnd(String source, String expected) throws IOException {
    Command.Done done = Command.run(compiledProgram(source), Map.of(), 90);
    assertThat(done.exitCode()).as(done.output()).isZero();
    Shown.compareLines(expected, done.output());
  }

  /** The command that runs it. */
  private List<String> compiledProgram(String source) throws IOException {
    String name = JavaCode.nameOf(source);
    Path classes = directory.resolve(name);
    String libraries = System.getProperty("java.class.path");
    JavaCode.compile(classes, libraries, List.of(source.replace(SHOWN_ADDRESS, address)));
    return Command.java(classes + File.pathSeparator + libraries, List.of(), List.of(name));
  }

  /** The component in an application that has nothing else, with the example worker's libraries. */
  private void runApplication(String component, String yaml) throws IOException {
    Path classes = Files.createDirectory(directory.resolve("application"));
    Files.writeString(classes.resolve("application.yml"), yaml.replace(SHOWN_ADDRESS, address));
    String libraries = librariesOfTheExample();
    JavaCode.compile(classes, libraries, List.of("package readme;\n" + component, APPLICATION));
    Background application =
        Background.start(
            directory.resolve("application.log"),
            Command.java(
                classes + File.pathSeparator + libraries,
                List.of(),
                List.of(JavaCode.fullNameOf(APPLICATION))));
    running.add(application);
    application.awaitPrinted("WorkerSettings[");
    assertThat(application.printed()).contains("threads=8").contains("slots={cuda:0=2}");

    FlowClient flow = new HttpFlowClient(URI.create("http://" + address), null);
    String id =
        flow.createTask(NewTask.of("hello", "write", "ada", "{\"to\":\"Bob\",\"text\":\"\"}"));
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> flow.getTask(id).taskStatus() == TaskStatus.SUCCESS);
    assertThat(flow.getTask(id).result()).isEqualTo("Dear Bob, this is attempt 1.");
  }

  private String librariesOfTheExample() throws IOException {
    try (Stream<Path> files = Files.walk(home.resolve(".asyncflow/dev/worker"))) {
      return files
          .filter(file -> file.getParent().getFileName().toString().equals("lib"))
          .map(Path::toString)
          .collect(Collectors.joining(File.pathSeparator));
    }
  }

  /** What is ours is in our POM, and what is SLF4J's goes together with the SLF4J that we bring. */
  private static void canBeDependedOn(String dependencies) {
    String pom = Document.read("worker-sdk/pom.xml").text().replaceAll("\\s", "");
    List<String> each = new Document(null, dependencies).all("(?s)<dependency>(.*?)</dependency>");
    assertThat(each).isNotEmpty();
    for (String dependency : each) {
      if (dependency.contains("<groupId>org.slf4j</groupId>")) {
        String version = dependency.replaceAll("(?s).*<version>(.*)</version>.*", "$1");
        assertThat(System.getProperty("java.class.path")).contains("slf4j-api-" + version + ".jar");
      } else {
        for (String element : List.of("groupId", "artifactId", "version")) {
          assertThat(pom)
              .contains(
                  dependency.replaceAll("(?s).*(<" + element + ">.*</" + element + ">).*", "$1"));
        }
      }
    }
  }

  /** A picture: its tables are those of the baseline, its programs are modules. */
  private static void namesWhatExists(String picture) {
    String tables = Document.read("db/migration/V1__baseline.sql").text();
    assertThat(picture).contains("flowsvr", "worker-sdk");
    Document drawing = new Document(null, picture);
    for (String table : drawing.all("\\b(t_[a-z_]+[a-z])\\b")) {
      assertThat(tables).contains("CREATE TABLE " + table);
    }
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
