package io.asyncflow.flowsvr.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
  void directoryThatIsMissingIsMade(CapturedOutput output) {
    Path directory = parent.resolve("archive");

    new JsonLinesArchive(null, null, directory.toString());

    assertThat(directory).isDirectory();
    assertThat(output).isEmpty();
  }
}
