package io.asyncflow.seal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.asyncflow.api.codec.CodecException;
import io.asyncflow.api.codec.Field;
import io.asyncflow.api.codec.Field.Kind;
import io.asyncflow.seal.SealKeys.Use;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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
    SealKeys.change(file, SealKeys::rotated);
    assertThat(new TinkCodec(SealKeys.read(file)).open(CONTEXT, sealed)).isEqualTo("text");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(directory).isDirectoryNotContaining("glob:**.unfinished");
  }

  @Test
  void whatARemovedKeyHasSealedDoesNotOpenAndAllElseDoes() {
    SealKeys first = SealKeys.generate();
    SealKeys both = first.rotated();
    long earlier = first.generations().get(0).texts();
    Field create = CONTEXT.withIdempotencyKey("order-7");
    List<Field> fields = List.of(CONTEXT, create);
    TinkCodec left = new TinkCodec(both.without(earlier));
    for (Field field : fields) {
      String before = new TinkCodec(first).seal(field, "text");
      String after = new TinkCodec(both).seal(field, "text");
      assertThat(left.open(field, after)).isEqualTo("text");
      assertThatThrownBy(() -> left.open(field, before)).isInstanceOf(CodecException.class);
    }
    assertThat(both.without(first.generations().get(0).objects()).generations())
        .isEqualTo(both.without(earlier).generations())
        .hasSize(1);
    assertThatThrownBy(() -> both.without(both.generations().get(1).texts()))
        .isInstanceOf(SealKeysException.class)
        .hasMessageContaining("rotate first");
    assertThatThrownBy(() -> first.without(earlier)).isInstanceOf(SealKeysException.class);
  }

  /** As another tool of Tink's writes them. */
  @Test
  void keysThatWereNotMadeTogetherSealAndOpenButAreNotListedNorRemoved() throws IOException {
    SealKeys first = SealKeys.generate();
    SealKeys both = first.rotated();
    String sealed = new TinkCodec(first).seal(CONTEXT, "text");
    ObjectNode ofOtherSizes = json(both).set("objects", json(first).get("objects"));
    ObjectNode ofOtherPrimaries = json(both);
    ObjectNode repeatable = (ObjectNode) ofOtherPrimaries.get("repeatable");
    repeatable.set("primaryKeyId", json(first).get("repeatable").get("primaryKeyId"));

    for (ObjectNode made : List.of(ofOtherSizes, ofOtherPrimaries)) {
      Path file = directory.resolve("made.json");
      Files.deleteIfExists(file);
      both.create(file);
      Files.writeString(file, made.toString());
      SealKeys keys = SealKeys.read(file);
      TinkCodec codec = new TinkCodec(keys);
      assertThat(codec.open(CONTEXT, sealed)).isEqualTo("text");
      assertThat(codec.open(CONTEXT, codec.seal(CONTEXT, "text"))).isEqualTo("text");
      long old = first.primaryKey(Use.TEXTS);
      for (ThrowingCallable act :
          List.<ThrowingCallable>of(keys::generations, () -> keys.without(old))) {
        assertThatThrownBy(act)
            .isInstanceOf(SealKeysException.class)
            .hasMessageContaining("not made together");
      }
    }
  }

  private ObjectNode json(SealKeys keys) throws IOException {
    Path file = directory.resolve("json-" + System.nanoTime());
    keys.create(file);
    return (ObjectNode) new JsonMapper().readTree(Files.readString(file));
  }

  @Test
  void aFileThatOthersCanReadIsRefused() throws IOException {
    Path file = directory.resolve("keys.json");
    SealKeys.generate().create(file);
    for (String open : List.of("rw-r--r--", "rw-rw----", "rw------x")) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(open));
      assertThatThrownBy(() -> SealKeys.read(file))
          .isInstanceOf(SealKeysException.class)
          .hasMessageContaining(file.toString())
          .hasMessageContaining("640");
    }
  }

  /** As in Kubernetes, where a secret belongs to the group of the process. */
  @Test
  void itsGroupMayReadIt() throws IOException {
    Path file = directory.resolve("keys.json");
    SealKeys.generate().create(file);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r-----"));
    assertThat(SealKeys.read(file)).isNotNull();
  }

  @Test
  void aReplacedFileIsReadByTheSameUsersAndThroughTheSameLink() throws IOException {
    Path file = directory.resolve("keys.json");
    SealKeys.generate().create(file);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), file);
    SealKeys.change(link, SealKeys::rotated);
    assertThat(link).isSymbolicLink();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-r-----");
  }

  @Test
  void changesOfOneFileFollowOneAnother() throws Exception {
    Path file = directory.resolve("keys.json");
    SealKeys.generate().create(file);
    List<Thread> threads =
        Stream.generate(() -> new Thread(() -> SealKeys.change(file, SealKeys::rotated)))
            .limit(4)
            .toList();
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(SealKeys.read(file).generations()).hasSize(5);

    try (FileChannel channel =
            FileChannel.open(directory.resolve("keys.json.lock"), StandardOpenOption.WRITE);
        FileLock held = channel.lock()) {
      assertThatThrownBy(() -> SealKeys.change(file, SealKeys::rotated))
          .as("another process would wait")
          .isInstanceOf(OverlappingFileLockException.class);
    }
    assertThat(SealKeys.read(file).generations()).hasSize(5);
  }

  @Test
  void aFileThatCannotBeWrittenIsNamed() {
    Path file = directory.resolve("none/keys.json");
    assertThatThrownBy(() -> SealKeys.generate().create(file))
        .isInstanceOf(SealKeysException.class)
        .hasMessage(file + " cannot be written: there is no such file or directory");
    assertThatThrownBy(() -> SealKeys.change(file, SealKeys::rotated))
        .isInstanceOf(SealKeysException.class)
        .hasMessageContaining(file + ", cannot be read: there is no such file or directory");
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
        .hasMessage(
            "the file with the keys, "
                + file
                + ", cannot be read: there is no such file or directory");
  }

  @Test
  void keysAreNotInItsText() {
    assertThat(SealKeys.generate().toString()).matches("SealKeys\\[[0-9]+]");
  }
}
