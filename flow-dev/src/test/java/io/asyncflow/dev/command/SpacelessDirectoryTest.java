package io.asyncflow.dev.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpacelessDirectoryTest {
  @TempDir Path directory;

  @Test
  void pathWithoutSpacesIsTaken() {
    Path preferred = directory.resolve("speech");
    assertThat(SpacelessDirectory.preferring(preferred)).isEqualTo(preferred);
  }

  @Test
  void pathWithASpaceIsReplaced() {
    assertThat(SpacelessDirectory.preferring(directory.resolve("my speech")).toString())
        .doesNotContainPattern("\\s");
  }

  @Test
  void linkToAPathWithASpaceIsReplaced() throws IOException {
    Path real = Files.createDirectory(directory.resolve("my speech"));
    Path link = Files.createSymbolicLink(directory.resolve("speech"), real);
    assertThat(SpacelessDirectory.preferring(link)).isNotEqualTo(link);
  }
}
