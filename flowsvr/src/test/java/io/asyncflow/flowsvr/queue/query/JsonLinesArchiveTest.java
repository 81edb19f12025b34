package io.asyncflow.flowsvr.queue.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What is said of the directory when a server starts; what is written to it is RollingIT's. */
@ExtendWith(OutputCaptureExtension.class)
class JsonLinesArchiveTest {
  @TempDir Path parent;

  @Test
  void directoryThatCannotBeWrittenIsToldAtTheStart(CapturedOutput output) throws IOException {
    Path file = Files.createFile(parent.resolve("file"));

    new JsonLinesArchive(null, null, file.resolve("archive").toString());

    assertThat(output)
        .contains("FLOW_ARCHIVE_DIR cannot be written, and no table is dropped until it can")
        .contains(file.toString());
  }

  @Test
  void directoryThatIsMissingIsMade(CapturedOutput output) throws IOException {
    Path directory = parent.resolve("archive");

    new JsonLinesArchive(null, null, directory.toString());

    assertThat(directory).isDirectory();
    assertThat(permissions(directory)).isEqualTo("rwx------");
    assertThat(output).isEmpty();
  }

  @Test
  void earlierArchivesAreClosedToOthersAndNothingElse() throws IOException {
    Path archive = Files.createFile(parent.resolve("t_lark_task_1.jsonl.gz"));
    Path other = Files.createFile(parent.resolve("other"));
    for (Path file : List.of(archive, other)) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }
    Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwxr-xr-x"));

    new JsonLinesArchive(null, null, parent.toString());

    assertThat(permissions(archive)).isEqualTo("rw-------");
    assertThat(permissions(other)).isEqualTo("rw-r--r--");
    assertThat(permissions(parent)).isEqualTo("rwxr-xr-x");
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
