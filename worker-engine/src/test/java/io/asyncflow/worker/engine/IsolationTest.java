package io.asyncflow.worker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IsolationTest {

  private static final List<String> COMMAND = List.of("python3", "engine.py");
  private static final Function<String, Path> ALL = program -> Path.of("/usr/bin", program);
  private static final Function<String, Path> NONE = program -> null;

  @TempDir private Path directory;

  private static List<String> around(Isolation isolation, Map<Path, String> secrets) {
    return isolation.around(COMMAND, null, ALL, secrets);
  }

  @Test
  void aSandboxHasNamespacesOfItsOwnAndReadOnlyFiles() {
    List<String> command = around(Isolation.sandbox(), Map.of());
    assertThat(command)
        .startsWith("/usr/bin/bwrap", "--unshare-all", "--cap-drop", "ALL", "--ro-bind", "/", "/")
        .endsWith("--", "python3", "engine.py")
        .doesNotContain("--share-net", "--bind");
  }

  @Test
  void itReachesNoSocketOfOtherPrograms() throws IOException {
    List<String> command = around(Isolation.sandbox(), Map.of());
    for (String place : List.of("/tmp", "/run", "/var/run")) {
      assertThat(command).containsSubsequence("--tmpfs", Path.of(place).toRealPath().toString());
    }
  }

  @Test
  void itHasASessionOfItsOwnWithoutSetsid() {
    Function<String, Path> noSetsid =
        program -> program.equals("setsid") ? null : ALL.apply(program);
    assertThat(Isolation.sandbox().around(COMMAND, null, noSetsid, Map.of()))
        .contains("--new-session");
    assertThat(around(Isolation.sandbox(), Map.of())).doesNotContain("--new-session");
  }

  @Test
  void aSandboxMayHaveTheNetworkAndADirectoryToWriteTo() {
    String path = directory.toString();
    assertThat(around(Isolation.sandbox().withNetwork().withWritable(directory), Map.of()))
        .contains("--share-net")
        .containsSubsequence("--tmpfs", "/tmp", "--bind", path, path);
  }

  @Test
  void whatIsHiddenIsHiddenInAWritableDirectory() throws IOException {
    Path key = Files.writeString(directory.resolve("key"), "secret").toRealPath();
    Path secrets = Files.createDirectory(directory.resolve("secrets")).toRealPath();
    Isolation isolation = Isolation.sandbox().without(key).withWritable(directory);
    assertThat(around(isolation, Map.of(secrets, "a key")))
        .containsSubsequence("--bind", directory.toString(), "--tmpfs", secrets.toString())
        .containsSubsequence("--bind", directory.toString(), "/dev/null", key.toString());
  }

  @Test
  void whatIsEmptyAnywayIsNotEmptiedAgain() throws IOException {
    assertThat(around(Isolation.sandbox(), Map.of(directory.toRealPath(), "a key")))
        .doesNotContain(directory.toRealPath().toString());
  }

  @Test
  void anEngineInAnEmptiedPlaceKeepsWhatItNeedsThere() throws IOException {
    Path work = Files.createDirectory(directory.resolve("work")).toRealPath();
    Path program = Files.writeString(directory.resolve("engine.py"), "").toRealPath();
    Path socket = Files.writeString(directory.resolve("another.sock"), "").toRealPath();
    Path secrets = Files.createDirectory(work.resolve("secrets"));
    List<String> command = List.of("python3", "../engine.py", "/tmp");
    Map<Path, String> hidden = Map.of(secrets, "a key", directory.toRealPath(), "another key");
    assertThat(Isolation.sandbox().around(command, work, ALL, hidden))
        .containsSubsequence(
            "--tmpfs", "/tmp", "--ro-bind", work.toString(), "--tmpfs", secrets.toString())
        .containsSubsequence("--tmpfs", "/tmp", "--ro-bind", program.toString())
        .doesNotContainSequence("--ro-bind", "/tmp")
        .doesNotContain(socket.toString(), directory.toRealPath().toString());
    assertThatIllegalStateException()
        .isThrownBy(() -> Isolation.sandbox().around(command, work, ALL, Map.of(work, "a key")))
        .withMessageContaining("it needs " + work);
  }

  @Test
  void noDirectoryIsHiddenThatTheEngineNeeds() throws IOException {
    Path program = Files.writeString(directory.resolve("engine.py"), "").toRealPath();
    Isolation isolation = Isolation.sandbox().withWritable(directory);
    assertThatIllegalStateException()
        .isThrownBy(() -> around(isolation, Map.of(directory.toRealPath(), "the file of FLOW_KEY")))
        .withMessageContaining("the file of FLOW_KEY is there: move that into a directory");
    for (String needed : List.of("/", "/etc", "/usr", System.getProperty("user.home"))) {
      Path place = Path.of(needed).toRealPath();
      assertThatIllegalStateException()
          .isThrownBy(() -> around(Isolation.sandbox(), Map.of(place, "a key")))
          .withMessageContaining("it needs ");
    }
    Path work = Path.of("").toRealPath();
    assertThatIllegalStateException()
        .isThrownBy(() -> around(Isolation.sandbox(), Map.of(work, "a key")))
        .withMessageContaining("it needs " + work);
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                Isolation.sandbox()
                    .withWritable(directory.getParent())
                    .around(
                        List.of("python3", program.toString()),
                        null,
                        ALL,
                        Map.of(directory.toRealPath(), "a key")))
        .withMessageContaining("it needs " + program);
  }

  @Test
  void anotherUserHasNoWayBack() {
    assertThat(Isolation.asUser("nobody", "nogroup").around(COMMAND, null, ALL))
        .containsExactly(
            "/usr/bin/setpriv",
            "--reuid=nobody",
            "--regid=nogroup",
            "--init-groups",
            "--inh-caps=-all",
            "--no-new-privs",
            "--",
            "python3",
            "engine.py");
  }

  @Test
  void limitsHoldForAllThatFollows() {
    assertThat(
            Isolation.asUser("nobody", "nogroup")
                .withMemory(1 << 30)
                .withOpenFiles(256)
                .around(COMMAND, null, ALL))
        .startsWith(
            "/usr/bin/prlimit",
            "--core=0",
            "--data=1073741824",
            "--nofile=256",
            "/usr/bin/setpriv");
    assertThatIllegalArgumentException().isThrownBy(() -> Isolation.sandbox().withMemory(0));
  }

  @Test
  void whatTheSystemLacksIsNamed() {
    assertThatIllegalStateException()
        .isThrownBy(() -> Isolation.sandbox().around(COMMAND, null, NONE))
        .withMessageContaining("has no bwrap: install the package bubblewrap");
    assertThatIllegalStateException()
        .isThrownBy(() -> Isolation.asUser("nobody", "nogroup").around(COMMAND, null, NONE))
        .withMessageContaining("has no setpriv");
    assertThatIllegalStateException()
        .isThrownBy(() -> Isolation.sandbox().withOpenFiles(9).around(COMMAND, null, NONE))
        .withMessageContaining("has no prlimit");
  }
}
