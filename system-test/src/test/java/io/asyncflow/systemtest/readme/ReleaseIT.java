package io.asyncflow.systemtest.readme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskFollower;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.readme.Document.Block;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The libraries as a repository gets them, and applications that take them from there: the lines of
 * Spring Boot, and one that has nothing but a worker.
 */
@Tag("faults")
@Timeout(900)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReleaseIT {

  /** Is not released, and the others cannot be built without it. */
  private static final String TEST_LIBRARY = "flow-dev";

  private static final int MOST_JARS = 12;
  private static final long MOST_BYTES = 5_000_000;
  private static final int SECONDS = 600;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final int HALTED = 9;

  private static final Pattern KEY = Pattern.compile("(?m)^KEY (\\S+)$");
  private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

  private static final Document GUIDE = Document.read("docs/spring-boot.md");

  /** The lowest and the highest version that is supported. */
  private static final Map<String, String> LINES =
      Map.of("boot-3", versionIn("<spring-boot-3.version>([^<]+)<"), "boot-4", versionOfParent());

  private final List<String> libraries = Document.read("bom/pom.xml").all(artifactId());
  private Path directory;
  private Path repository;
  private Map<String, String> environment;

  private static String artifactId() {
    return "(?s)<dependency>.*?<artifactId>([^<]+)</artifactId>";
  }

  private static String versionIn(String pattern) {
    return Document.read("pom.xml").all(pattern).get(0);
  }

  private static String versionOfParent() {
    return versionIn("(?s)<parent>.*?<version>([^<]+)</version>");
  }

  private static String version() {
    return Document.read("bom/pom.xml").all("<version>([^<]+)</version>").get(0);
  }

  @BeforeAll
  void releaseAndUse(@TempDir Path temporary) throws IOException {
    directory = temporary;
    repository = Files.createDirectory(directory.resolve("repository"));
    // Never with -o, with which Maven deploys nothing: it asks for what is missing here alone.
    environment =
        Map.of(
            "MAVEN_ARGS",
            "-B -ntp -T 2 -gs "
                + settings()
                + " -Dmaven.repo.local="
                + OtherLibraries.linkedIn(directory.resolve("m2")));
    maven(
        sourcesOfTheLibraries(),
        "deploy",
        "-Prelease",
        "-Dmaven.test.skip=true",
        "-Dspotless.check.skip=true",
        "-Dmaven.antrun.skip=true",
        "-DaltDeploymentRepository=release::" + repository.toUri(),
        "-pl",
        "bom," + TEST_LIBRARY + "," + String.join(",", libraries));
    maven(applications(), "package");
  }

  /** Lets the applications find the release; the user's own settings hold, too. */
  private Path settings() throws IOException {
    return Files.writeString(
        directory.resolve("settings.xml"),
        """
        <settings>
          <profiles>
            <profile>
              <id>release</id>
              <repositories>
                <repository>
                  <id>release</id>
                  <url>%s</url>
                </repository>
              </repositories>
            </profile>
          </profiles>
          <activeProfiles>
            <activeProfile>release</activeProfile>
          </activeProfiles>
        </settings>
        """
            .formatted(repository.toUri()));
  }

  /** What the release is made of, in a directory of its own: the build of this checkout goes on. */
  private Path sourcesOfTheLibraries() throws IOException {
    Path checkout = directory.resolve("checkout");
    List<String> copied = new ArrayList<>(List.of("pom.xml", "LICENSE", "NOTICE"));
    for (String module : Document.read("pom.xml").all("<module>([^<]+)</module>")) {
      copied.add(module + "/pom.xml");
    }
    libraries.forEach(module -> copied.add(module + "/src/main"));
    copied.add(TEST_LIBRARY + "/src/main");
    for (String file : copied) {
      copy(Document.home().resolve(file), checkout.resolve(file));
    }
    return checkout;
  }

  /** With the code and the settings that the guide to Spring Boot shows. */
  private Path applications() throws IOException {
    Path templates = Document.home().resolve("system-test/src/test/applications");
    Path applications = directory.resolve("applications");
    copy(templates.resolve("pom.xml"), applications.resolve("pom.xml"));
    copy(templates.resolve("plain"), applications.resolve("plain"));
    fillIn(applications.resolve("plain"), Map.of());
    for (Map.Entry<String, String> line : LINES.entrySet()) {
      Path application = applications.resolve(line.getKey());
      copy(templates.resolve("boot"), application);
      Path main = application.resolve("src/main");
      Files.writeString(main.resolve("java/app/Orders.java"), "package app;\n" + shown("java"));
      Files.writeString(main.resolve("resources/application.yml"), shown("yaml"));
      fillIn(
          application, Map.of("@line@", typeOf(line.getKey()), "@spring-boot@", line.getValue()));
    }
    return applications;
  }

  private static String shown(String language) {
    return GUIDE.blocks().stream()
        .filter(block -> block.language().equals(language))
        .map(Block::code)
        .findFirst() // the second one in Java is a test
        .orElseThrow();
  }

  private static String typeOf(String line) {
    return line.replace('-', '_');
  }

  private void fillIn(Path application, Map<String, String> values) throws IOException {
    try (Stream<Path> files = Files.walk(application)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String text = Files.readString(file).replace("@asyncflow@", version());
        for (Map.Entry<String, String> value : values.entrySet()) {
          text = text.replace(value.getKey(), value.getValue());
        }
        Files.writeString(file, text);
      }
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path copy = to.resolve(from.relativize(file).toString());
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy);
      }
    }
  }

  private void maven(Path project, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(Document.home().resolve("mvnw").toString(), "-q", "-f", project.toString()));
    command.addAll(List.of(arguments));
    Command.Done done = Command.run(command, environment, SECONDS);
    assertThat(done.exitCode()).as(done.output()).isZero();
  }

  @Test
  void theRepositoryGetsTheLibrariesOfTheBomWithSourcesAndJavadoc() throws IOException {
    try (Stream<Path> released = Files.list(repository.resolve("io/asyncflow"))) {
      assertThat(released.filter(Files::isDirectory).map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(
              Stream.concat(libraries.stream(), Stream.of("asyncflow-bom")).toList());
    }
    try (Stream<Path> released = Files.walk(repository)) {
      assertThat(released).noneMatch(file -> file.toString().endsWith("-tests.jar"));
    }
    for (String library : libraries) {
      assertThat(released(library, ".pom"))
          .content()
          .doesNotContain("<parent>", "spring.io", "spring-projects");
      assertThat(entriesOf(released(library, "-javadoc.jar"))).containsKey("index.html");
      assertThat(entriesOf(released(library, "-sources.jar")).keySet())
          .anyMatch(name -> name.endsWith(".java"));
    }
  }

  /** But for the POM in it, which a release has without its parents. */
  @Test
  void anotherBuildOfTheSameSourcesHasTheSameBytes() throws IOException {
    for (String library : libraries) {
      Path built =
          Document.home().resolve(library + "/target/" + library + "-" + version() + ".jar");
      assertThat(entriesOf(released(library, ".jar"))).as(library).isEqualTo(entriesOf(built));
    }
  }

  private Path released(String library, String suffix) throws IOException {
    Path versions = repository.resolve("io/asyncflow").resolve(library).resolve(version());
    Pattern name =
        Pattern.compile(
            Pattern.quote(library)
                + "-[0-9.]+-[0-9]{8}[^-]*-[0-9]+"
                + Pattern.quote(suffix)
                + "|"
                + Pattern.quote(library + "-" + version() + suffix));
    try (Stream<Path> files = Files.list(versions)) {
      return files
          .filter(file -> name.matcher(file.getFileName().toString()).matches())
          .findFirst()
          .orElseThrow(() -> new AssertionError(library + suffix + " is not in " + versions));
    }
  }

  /** The entries with their times and contents. */
  private static Map<String, String> entriesOf(Path file) throws IOException {
    Map<String, String> entries = new TreeMap<>();
    try (JarFile jar = new JarFile(file.toFile())) {
      jar.stream()
          .filter(entry -> !entry.getName().startsWith("META-INF/maven/"))
          .forEach(
              entry ->
                  entries.put(
                      entry.getName(), entry.getTime() + " " + Long.toHexString(entry.getCrc())));
    }
    return entries;
  }

  /** The plain application imports what the guide shows. */
  @Test
  void guideShowsTheImportOfTheBom() throws IOException {
    assertThat(Files.readString(directory.resolve("applications/plain/pom.xml")))
        .containsIgnoringWhitespaces(shown("xml"));
  }

  @Test
  void aWorkerBringsFewJars() throws IOException {
    String path = Files.readString(directory.resolve("applications/plain/target/classpath"));
    List<Path> jars = Arrays.stream(path.strip().split(File.pathSeparator)).map(Path::of).toList();
    long bytes = jars.stream().mapToLong(ReleaseIT::sizeOf).sum();
    System.out.printf(Locale.ROOT, "worker-sdk: %s jars, %.1f MB%n", jars.size(), bytes / 1e6);
    assertThat(jars).hasSizeLessThanOrEqualTo(MOST_JARS);
    assertThat(bytes).as("bytes of %s", jars).isLessThanOrEqualTo(MOST_BYTES);
    assertThat(path).contains("worker-sdk").doesNotContain("redisson", "resilience4j");
  }

  private static long sizeOf(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Nested
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  class WithAServer {

    private Cluster cluster;
    private URI url;
    private FlowClient flow;

    @BeforeAll
    void start() {
      cluster = Cluster.startWithoutRedis("release");
      ServerNode server = cluster.startServers(1).get(0);
      url = server.url();
      flow = new HttpFlowClient(url, null);
    }

    @AfterAll
    void stop() {
      cluster.close();
    }

    /** The command of an application, which has its database in a directory. */
    private List<String> application(String line, String database, String act) {
      Path jar = directory.resolve("applications/" + line + "/target/" + typeOf(line) + "-1.jar");
      return List.of(
          Path.of(System.getProperty("java.home"), "bin", "java").toString(),
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          "-jar",
          jar.toString(),
          "--asyncflow.client.url=" + url,
          "--app.directory=" + directory.resolve(database),
          "--app.act=" + act);
    }

    @ParameterizedTest
    @ValueSource(strings = {"boot-3", "boot-4"})
    void applicationOfTheLineStartsCreatesRunsAndStops(String line) throws Exception {
      String type = typeOf(line);
      flow.saveTaskType(TaskTypeSettings.named(type));
      String context = "{\"to\":\"Ada\",\"at\":\"2026-11-23T10:00:00Z\"}";
      String greeting = flow.createTask(NewTask.of(type, "greet", "ada", context));
      Path log = directory.resolve(line + ".log");
      try (Background application =
          Background.start(log, application(line, line, "place"), Map.of())) {
        assertThat(resultOf(greeting, application))
            .isEqualTo(
                "{\"to\":\"Ada of " + LINES.get(line) + "\",\"at\":\"2026-11-23T10:00:00Z\"}");
        String placed = taskOf(keyIn(application));
        assertThat(resultOf(placed, application)).isEqualTo("sent placed");
        assertThat(flow.getUserTaskList(type, TaskPageRequest.of()).taskList())
            .as("what was rolled back was not created")
            .extracting(Task::taskId)
            .containsExactly(placed);
        assertThat(get(application, "/actuator/health"))
            .contains("\"asyncflow\":{", "\"status\":\"UP\"", "\"workerId\"");
      }
      assertThat(log).content().doesNotContain("Exception", " ERROR ");
      assertThat(flow.taskTypes())
          .filteredOn(settings -> settings.taskType().equals("mail"))
          .singleElement()
          .satisfies(
              mail -> {
                assertThat(mail.maxRetryNum()).isEqualTo(5);
                assertThat(mail.leaseSeconds()).isEqualTo(60);
              });
    }

    /** First before its task is sent, then after it is sent and before its row is deleted. */
    @Test
    void applicationThatIsKilledAfterItsCommitCreatesTheTaskOnce() throws Exception {
      flow.saveTaskType(TaskTypeSettings.named("mail"));
      assertThat(haltOf("halt-after-commit")).isEmpty();
      List<Task> sent = haltOf("halt-after-send");
      assertThat(sent).hasSize(1);
      Path log = directory.resolve("restarted.log");
      try (Background application =
          Background.start(log, application("boot-4", "killed", "none"), Map.of())) {
        await().atMost(PATIENCE).until(() -> get(application, "/rows").equals("rows: 0"));
        assertThat(resultOf(sent.get(0).taskId(), application)).isEqualTo("sent placed");
      }
      assertThat(flow.getUserTaskList("killed", TaskPageRequest.of()).taskList()).hasSize(1);
    }

    /** Runs an application that halts by itself, and returns what there is of its user then. */
    private List<Task> haltOf(String act) {
      Command.Done halted =
          Command.run(
              Stream.concat(
                      application("boot-4", "killed", act).stream(),
                      Stream.of("--asyncflow.worker.enabled=false"))
                  .toList(),
              Map.of(),
              (int) PATIENCE.toSeconds());
      assertThat(halted.exitCode()).as(halted.output()).isEqualTo(HALTED);
      return flow.getUserTaskList("killed", TaskPageRequest.of()).taskList();
    }

    private String resultOf(String taskId, Background application) throws Exception {
      Task end = new TaskFollower(flow).follow(taskId, PATIENCE);
      assertThat(end.taskStatus()).as(application.printed()).isEqualTo(TaskStatus.SUCCESS);
      return end.result();
    }

    private String keyIn(Background application) {
      Matcher key = KEY.matcher("");
      await().atMost(PATIENCE).until(() -> key.reset(application.printed()).find());
      return key.group(1);
    }

    /** The task under a key, when it is sent. */
    private String taskOf(String key) {
      return await()
          .atMost(PATIENCE)
          .ignoreExceptionsInstanceOf(FlowException.class)
          .until(() -> flow.getTask("mail", key).taskId(), id -> true);
    }

    private String get(Background application, String path) throws Exception {
      Matcher port = PORT.matcher("");
      await().atMost(PATIENCE).until(() -> port.reset(application.printed()).find());
      URI uri = URI.create("http://127.0.0.1:" + port.group(1) + path);
      return HttpClient.newHttpClient()
          .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
          .body();
    }
  }
}
