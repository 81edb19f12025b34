package io.asyncflow.worker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asyncflow.worker.ChildPrograms;
import io.asyncflow.worker.testing.StageHarness;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What an engine has of its worker, which is a process of its own here: no secret, no longer life.
 */
@Tag("faults")
class EnvironmentIT {

  private static final String SECRET = "super-secret-key";

  /** Under the names of Asyncflow, of Spring, and of others. */
  private static final Map<String, String> SECRETS =
      Map.of(
          "FLOW_API_KEY", SECRET,
          "ASYNCFLOW_WORKER_API_KEY", SECRET,
          "SPRING_DATASOURCE_PASSWORD", SECRET,
          "AWS_SECRET_ACCESS_KEY", SECRET);

  /** What a slot means, what this test names, and what a shell sets by itself. */
  private static final List<String> OTHERS =
      List.of("CUDA_VISIBLE_DEVICES", "KEY_FILE", "SPOOLED", "PWD", "OLDPWD", "SHLVL", "_");

  /** Not in /tmp, which a sandbox empties anyway. */
  @TempDir(factory = InTarget.class)
  private Path directory;

  private Path keyFile;

  /** What an engine found; what it could not read is empty. */
  private record Found(
      Map<String, String> environment,
      String ofItsParent,
      String ofTheFiles,
      String sockets,
      String userId) {}

  static final class InTarget implements TempDirFactory {
    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext extension)
        throws IOException {
      return Files.createTempDirectory(Path.of("target").toAbsolutePath(), "secrets");
    }
  }

  @BeforeEach
  void writeTheKey() throws IOException {
    keyFile =
        Files.createFile(
            Files.createDirectory(directory.resolve("keys")).resolve("key"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(keyFile, SECRET);
  }

  @Test
  void anEngineGetsNothingButTheList() throws Exception {
    Found found = spy("none");
    Set<String> allowed = new HashSet<>(ChildPrograms.of("env").environment().keySet());
    allowed.addAll(OTHERS);
    assertThat(allowed).containsAll(found.environment().keySet());
    assertThat(found.environment().values()).doesNotContain(SECRET);
    assertThat(found.ofItsParent())
        .as("an engine that is not isolated finds what docs/engines.md warns of")
        .contains(SECRET);
    assertThat(found.ofTheFiles()).as("the key and the spool").contains(SECRET + SECRET);
  }

  @Test
  void anEngineInASandboxFindsNoSecretAnywhere() throws Exception {
    String missing = missingForASandbox();
    assumeTrue(missing == null, missing);
    Found found = spy("sandbox");
    assertFoundNothing(found);
    assertThat(found.sockets()).isBlank();
  }

  @Test
  void anEngineInASandboxIsKilledWithItsChildren() throws Exception {
    String missing = missingForASandbox();
    assumeTrue(missing == null, missing);
    String mark = "86400." + System.nanoTime();
    String ready = "echo '{\"type\":\"ready\",\"protocol\":1,\"engine\":\"deaf\"}'";
    EngineHandler.Builder deaf =
        EngineHandler.builder("sh", "-c", "read -r hello; " + ready + "; sleep " + mark + " & wait")
            .isolated(Isolation.sandbox())
            .silence(Duration.ofSeconds(1));
    try (EngineHandler engine = deaf.build()) {
      assertThatThrownBy(() -> StageHarness.run("deaf").onSlot("cpu").with(engine))
          .hasMessageContaining("and was killed");
    }
    await().atMost(Duration.ofSeconds(30)).until(() -> !isRunning(mark));
  }

  /** It does not read its input, whose end would tell it. */
  @ParameterizedTest
  @ValueSource(strings = {"none", "sandbox", "user"})
  void anEngineDoesNotOutliveItsWorker(String isolation) throws Exception {
    String missing = isolation.equals("sandbox") ? missingForASandbox() : null;
    assumeTrue(missing == null, missing);
    assumeTrue(!isolation.equals("user") || isRoot(), "not root");
    String mark = "86400." + System.nanoTime();
    ProcessBuilder worker =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            BusyWorker.class.getName(),
            isolation);
    worker.environment().put("MARK", mark);
    Process process =
        worker.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    try {
      await().atMost(Duration.ofSeconds(30)).until(() -> isRunning("sleep " + mark));
    } finally {
      process.destroyForcibly(); // kill -9
    }
    await().atMost(Duration.ofSeconds(10)).until(() -> !isRunning(mark));
  }

  /** A worker whose engine computes, as does a child of it, until they are killed. */
  static final class BusyWorker {
    public static void main(String[] arguments) throws Exception {
      String mark = System.getenv("MARK");
      String ready = "echo '{\"type\":\"ready\",\"protocol\":1,\"engine\":\"busy\"}'";
      String work = "sleep " + mark + " & sleep " + mark;
      EngineHandler.Builder builder =
          EngineHandler.builder("sh", "-c", "read -r hello; " + ready + "; " + work);
      switch (arguments[0]) {
        case "sandbox" -> builder.isolated(Isolation.sandbox());
        case "user" -> builder.isolated(Isolation.asUser("nobody", "nogroup"));
        default -> {}
      }
      try (EngineHandler engine = builder.build()) {
        StageHarness.run("busy").onSlot("cpu").with(engine);
      }
    }
  }

  private static boolean isRunning(String mark) {
    return ProcessHandle.allProcesses()
        .anyMatch(process -> process.info().commandLine().orElse("").contains(mark));
  }

  @Test
  void anEngineOfAnotherUserFindsNoSecretAnywhere() throws Exception {
    assumeTrue(isRoot() && ProcessGroup.program("setpriv") != null, "not root, or no setpriv");
    Found found = spy("user");
    assertFoundNothing(found);
    assertThat(found.userId()).isNotEqualTo("0");
  }

  private static void assertFoundNothing(Found found) {
    assertThat(found.environment().values()).doesNotContain(SECRET);
    assertThat(found.ofItsParent()).doesNotContain(SECRET);
    assertThat(found.ofTheFiles()).isEmpty();
  }

  private static boolean isRoot() throws IOException {
    return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
  }

  /** Why there is no sandbox here; {@code null} if there is one. */
  private static String missingForASandbox() throws IOException, InterruptedException {
    Path bwrap = ProcessGroup.program("bwrap");
    if (bwrap == null) {
      return "no sandbox was tried: the package bubblewrap is not installed";
    }
    Process process =
        ChildPrograms.of(bwrap.toString(), "--unshare-all", "--ro-bind", "/", "/", "true")
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() == 0 ? null : "no sandbox was tried: " + said.strip();
  }

  private Found spy(String isolation) throws Exception {
    ProcessBuilder worker =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-Duser.home=" + directory,
            "-cp",
            System.getProperty("java.class.path"),
            SpyingWorker.class.getName(),
            keyFile.toString(),
            directory.resolve(".asyncflow/spool/report.json").toString(),
            isolation);
    worker.environment().putAll(SECRETS);
    worker.environment().put("FLOW_API_KEY_FILE", keyFile.toString());
    Process process = worker.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    String line =
        output.lines().filter(printed -> printed.startsWith("found ")).findFirst().orElse(null);
    assertThat(line).as(output).isNotNull();
    String[] found = line.substring("found ".length()).split(",", -1);
    Map<String, String> environment = new TreeMap<>();
    for (String variable : decoded(found[0]).split("\n")) {
      String[] parts = variable.split("=", 2);
      environment.put(parts[0], parts.length == 1 ? "" : parts[1]);
    }
    return new Found(
        environment, decoded(found[1]), decoded(found[2]), decoded(found[3]), found[4]);
  }

  private static String decoded(String base64) {
    return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
  }
}
