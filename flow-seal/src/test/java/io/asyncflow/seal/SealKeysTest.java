package io.asyncflow.seal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.codec.Field;
import io.asyncflow.api.codec.Field.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SealKeysTest {

  private static final Field CONTEXT = Field.of(Kind.CONTEXT, "lark", "ann");

  @TempDir private Path directory;

  @Test
  void aFileHasTheKeysThatWereWritten() throws IOException {
    Path file = directory.resolve("keys.json");
    SealKeys keys = SealKeys.generate();
    keys.create(file);
    String sealed = new TinkCodec(keys).seal(CONTEXT, "text");
    assertThat(new TinkCodec(SealKeys.read(file)).open(CONTEXT, sealed)).isEqualTo("text");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  @Test
  void aReplacedFileStillOpensWhatItSealedBefore() throws IOException {
    Path file = directory.resolve("keys.json");
    SealKeys.generate().create(file);
    String sealed = new TinkCodec(SealKeys.read(file)).seal(CONTEXT, "text");
    SealKeys.read(file).rotated().replace(file);
    assertThat(new TinkCodec(SealKeys.read(file)).open(CONTEXT, sealed)).isEqualTo("text");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(directory).isDirectoryNotContaining("glob:**.unfinished");
  }

  @Test
  void aFileThatOthersCanReadIsRefused() throws IOException {
    Path file = directory.resolve("keys.json");
    SealKeys.generate().create(file);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    assertThatThrownBy(() -> SealKeys.read(file))
        .isInstanceOf(SealKeysException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("600");
  }

  @Test
  void anExistingFileIsNeverOverwrittenByNewKeys() {
    Path file = directory.resolve("keys.json");
    SealKeys.generate().create(file);
    assertThatThrownBy(() -> SealKeys.generate().create(file))
        .isInstanceOf(SealKeysException.class)
        .hasMessageContaining("exists");
  }

  @Test
  void aFileWithoutKeysIsRefusedWithoutItsContent() throws IOException {
    Path file = directory.resolve("keys.json");
    SealKeys.generate().create(file);
    for (String content : new String[] {"", "{}", "secret", "{\"texts\":{\"secret\":1}}"}) {
      Files.writeString(file, content);
      assertThatThrownBy(() -> SealKeys.read(file))
          .isInstanceOf(SealKeysException.class)
          .hasNoCause()
          .hasMessageContaining("has no keys")
          .hasMessageNotContaining("secret");
    }
  }

  @Test
  void aMissingFileIsNamed() {
    Path file = directory.resolve("none.json");
    assertThatThrownBy(() -> SealKeys.read(file))
        .isInstanceOf(SealKeysException.class)
        .hasMessageContaining(file.toString());
  }

  @Test
  void keysAreNotInItsText() {
    assertThat(SealKeys.generate().toString()).matches("SealKeys\\[[0-9]+]");
  }
}
