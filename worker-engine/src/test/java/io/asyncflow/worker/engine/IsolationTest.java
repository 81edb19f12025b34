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

  @Test
  void aSandboxHasNamespacesOfItsOwnAndReadOnlyFiles() {
    List<String> command = Isolation.sandbox().around(COMMAND, ALL);
    assertThat(command)
        .startsWith("/usr/bin/bwrap", "--unshare-all", "--cap-drop", "ALL", "--ro-bind", "/", "/")
        .endsWith("--", "python3", "engine.py")
        .doesNotContain("--share-net", "--bind");
  }

  @Test
  void aSandboxMayHaveTheNetworkAndADirectoryToWriteTo() {
    String path = directory.toString();
    assertThat(Isolation.sandbox().withNetwork().withWritable(directory).around(COMMAND, ALL))
        .contains("--share-net")
        .containsSubsequence("--tmpfs", "/tmp", "--bind", path, path);
  }

  @Test
  void whatIsHiddenIsHiddenInAWritableDirectory() throws IOException {
    Path key = Files.writeString(directory.resolve("key"), "secret").toRealPath();
    Isolation isolation = Isolation.sandbox().without(key).withWritable(directory);
    assertThat(isolation.around(COMMAND, ALL))
        .containsSubsequence("--bind", directory.toString(), "/dev/null", key.toString());
  }

  @Test
  void aSandboxHidesWhatTheWorkersVariablesName() throws IOException {
    Path key = Files.writeString(directory.resolve("key"), "secret").toRealPath();
    Path link = Files.createSymbolicLink(directory.resolve("link"), key);
    Path models = Files.createDirectory(directory.resolve("models")).toRealPath();
    Map<String, String> environment =
        Map.of(
            "FLOW_API_KEY_FILE", link.toString(),
            "FLOW_URL", "http://127.0.0.1:8081",
            "FLOW_SEAL_KEYSET", directory.resolve("none").toString(),
            "HOME", directory.toString());
    assertThat(Isolation.sandbox().without(models).hiddenPaths(environment))
        .contains(key, models)
        .doesNotContain(directory, directory.resolve("none"));
  }

  @Test
  void anotherUserHasNoWayBack() {
    assertThat(Isolation.asUser("nobody", "nogroup").around(COMMAND, ALL))
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
                .around(COMMAND, ALL))
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
        .isThrownBy(() -> Isolation.sandbox().around(COMMAND, NONE))
        .withMessageContaining("has no bwrap: install the package bubblewrap");
    assertThatIllegalStateException()
        .isThrownBy(() -> Isolation.asUser("nobody", "nogroup").around(COMMAND, NONE))
        .withMessageContaining("has no setpriv");
    assertThatIllegalStateException()
        .isThrownBy(() -> Isolation.sandbox().withOpenFiles(9).around(COMMAND, NONE))
        .withMessageContaining("has no prlimit");
  }
}
