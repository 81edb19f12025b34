package io.asyncflow.worker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretDirectoriesTest {

  @TempDir private Path temporary;
  private Path directory;
  private Path home;

  @BeforeEach
  void makeAHome() throws IOException {
    directory = temporary.toRealPath();
    home = Files.createDirectory(directory.resolve("home"));
  }

  @Test
  void itIsTheDirectoryOfAFileThatAVariableNames() throws IOException {
    Path keys = Files.createDirectory(directory.resolve("keys"));
    Path key = Files.writeString(keys.resolve("key"), "secret");
    assertThat(found(Map.of("FLOW_API_KEY_FILE", key.toString())))
        .containsEntry(keys, "the file of FLOW_API_KEY_FILE");
  }

  @Test
  void theFileMayBeDeletedAndComeBack() throws IOException {
    Path keys = Files.createDirectory(directory.resolve("keys"));
    assertThat(
            found(
                Map.of(
                    "FLOW_API_KEY_FILE", keys.resolve("key").toString(),
                    "FLOW_SEAL_KEYSET", directory.resolve("none/keys.json").toString())))
        .containsKey(keys)
        .hasSize(2);
  }

  /** As Kubernetes mounts a secret, and replaces it. */
  @Test
  void itIsTheDirectoryOfTheNameAndThatOfEachLink() throws IOException {
    Path mount = Files.createDirectory(directory.resolve("mount"));
    Path first = Files.createDirectory(mount.resolve("..2026_01"));
    Files.writeString(first.resolve("key"), "first");
    Path data = Files.createSymbolicLink(mount.resolve("..data"), first.getFileName());
    Path key = Files.createSymbolicLink(mount.resolve("key"), Path.of("..data/key"));
    Map<String, String> environment = Map.of("FLOW_API_KEY_FILE", key.toString());
    assertThat(found(environment)).containsKeys(mount, first);

    Path second = Files.createDirectory(mount.resolve("..2026_02"));
    Files.writeString(second.resolve("key"), "second");
    Path next = Files.createSymbolicLink(mount.resolve("..data_tmp"), second.getFileName());
    Files.move(next, data, StandardCopyOption.ATOMIC_MOVE);
    Files.delete(first.resolve("key"));
    Files.delete(first);
    assertThat(found(environment)).containsKeys(mount, second).doesNotContainKey(first);
  }

  @Test
  void otherVariablesAndCertificatesAreNoSecrets() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    assertThat(
            found(
                Map.of(
                    "FLOW_URL", "http://127.0.0.1:8081",
                    "FLOW_CA", file.toString(),
                    "FLOW_TLS_CERT", file.toString(),
                    "HOME", directory.toString(),
                    "MODEL", file.toString())))
        .containsOnlyKeys(home.resolve(".asyncflow"));
  }

  @Test
  void aSpoolIsHiddenBeforeThereIsOne() throws IOException {
    assertThat(home.resolve(".asyncflow")).doesNotExist();
    assertThat(found(Map.of())).containsKey(home.resolve(".asyncflow"));
    assertThat(Files.getPosixFilePermissions(home.resolve(".asyncflow"))).hasSize(3);
  }

  @Test
  void whatTheBuilderOfAWorkerNamesIsHidden() throws IOException {
    Path keys = Files.createDirectory(directory.resolve("keys"));
    Path spool = directory.resolve("spool");
    Worker.builder()
        .apiKeyFile(Files.writeString(keys.resolve("key"), "secret"))
        .spoolDir(spool)
        .handler("test", "work", context -> StageResult.done())
        .build();
    assertThat(found(Map.of()))
        .containsEntry(keys, "the worker's key file")
        .containsEntry(spool, "the worker's spool");
  }

  /** Without what other tests' workers have. */
  private Map<Path, String> found(Map<String, String> environment) {
    Map<Path, String> found = SecretDirectories.in(environment, home);
    found.keySet().removeIf(place -> !place.startsWith(directory));
    return found;
  }
}
