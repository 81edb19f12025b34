package io.asyncflow.flowsvr.compose.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.sun.management.ThreadMXBean;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import io.asyncflow.flowsvr.compose.store.ContextStore.Entry;
import io.asyncflow.flowsvr.edge.access.TestCallers;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryContextStoreTest {

  private static final StoreKey KEY = StoreKey.of("4711_lark_task_1", "render", 2, "piece.wav");
  private static final Runnable NOBODY_OBJECTS = () -> {};

  @TempDir Path directory;
  private Path root;
  private DirectoryContextStore store;

  @BeforeEach
  void open() {
    root = directory.resolve("store");
    store = new DirectoryContextStore(root, 0);
  }

  private static Upload upload(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    return new Upload(new ByteArrayInputStream(bytes), bytes.length, null);
  }

  private String read(StoreKey key) throws IOException {
    try (StoredObject found = store.open(key).orElseThrow()) {
      return new String(found.content().readAllBytes(), UTF_8);
    }
  }

  private List<Path> files() throws IOException {
    if (!Files.exists(root)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(path -> !Files.isDirectory(path)).toList();
    }
  }

  @Test
  void lookAtHowFullTheStoreIsMakesNoDirectory() throws IOException {
    assertThat(store.usage().freeBytes()).isPositive();

    assertThat(root).doesNotExist();
  }

  @Test
  void storeThatIsNoDirectoryIsAwayAndNoBug() throws IOException {
    Files.writeString(root, "a file");
    StoreListController controller = new StoreListController(store, null);

    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> controller.usage(TestCallers.ADMIN))
        .matches(e -> e.errorCode() == ErrorCode.UNAVAILABLE);
  }

  @Test
  void objectIsReadAsItWasPutAndReplacedByTheNext() throws IOException {
    store.put(KEY, upload("first"), NOBODY_OBJECTS);
    assertThat(read(KEY)).isEqualTo("first");

    store.put(KEY, upload("and second"), NOBODY_OBJECTS);

    assertThat(read(KEY)).isEqualTo("and second");
    assertThat(files()).hasSize(1);
  }

  @Test
  void nothingOfItCanBeReadByOthers() throws IOException {
    store.put(KEY, upload("secret"), NOBODY_OBJECTS);

    try (Stream<Path> all = Files.walk(root)) {
      for (Path path : all.toList()) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
            .as("%s", path)
            .isEqualTo(Files.isDirectory(path) ? "rwx------" : "rw-------");
      }
    }
  }

  @Test
  void whatAnEarlierVersionMadeIsClosedToOthersAtTheStart() throws IOException {
    Path objects = Files.createDirectories(root.resolve("objects"));
    Path uploads = Files.createDirectories(root.resolve("uploads"));
    for (Path path : List.of(root, objects, uploads)) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    new DirectoryContextStore(root, 0);

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(objects)))
        .isEqualTo("rwx------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(uploads)))
        .isEqualTo("rwx------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root)))
        .as("what else is in it is not the store's")
        .isEqualTo("rwxr-xr-x");
  }

  @Test
  void runsDoNotSeeEachOther() throws IOException {
    StoreKey later = StoreKey.of("4711_lark_task_1", "render", 3, "piece.wav");
    store.put(KEY, upload("of 2"), NOBODY_OBJECTS);
    store.put(later, upload("of 3"), NOBODY_OBJECTS);

    assertThat(read(KEY)).isEqualTo("of 2");
    assertThat(read(later)).isEqualTo("of 3");
    assertThat(store.open(StoreKey.of("4711_lark_task_1", "render", 4, "piece.wav"))).isEmpty();
  }

  @Test
  void uploadThatIsNotWhatItWasSaidToBeLeavesNothing() throws IOException {
    byte[] bytes = "twelve bytes".getBytes(UTF_8);
    List<Upload> bad =
        List.of(
            new Upload(new ByteArrayInputStream(bytes), 13, null),
            new Upload(new ByteArrayInputStream(bytes), 11, null),
            new Upload(new ByteArrayInputStream(bytes), 12, new byte[32]),
            new Upload(breakingOffAfter(bytes), 100, null));
    for (Upload upload : bad) {
      assertThatExceptionOfType(FlowException.class)
          .isThrownBy(() -> store.put(KEY, upload, NOBODY_OBJECTS))
          .matches(e -> e.errorCode() == ErrorCode.MALFORMED_BODY);
    }
    assertThat(store.open(KEY)).isEmpty();
    assertThat(files()).isEmpty();
  }

  private static InputStream breakingOffAfter(byte[] bytes) {
    return new ByteArrayInputStream(bytes) {
      @Override
      public int read(byte[] buffer) throws IOException {
        if (available() == 0) {
          throw new IOException("connection reset");
        }
        return super.read(buffer);
      }
    };
  }

  @Test
  void whatTheGuardRefusesChangesNothing() throws IOException {
    store.put(KEY, upload("first"), NOBODY_OBJECTS);

    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                store.put(
                    KEY,
                    upload("too late"),
                    () -> {
                      throw new IllegalStateException("somebody else holds it");
                    }));

    assertThat(read(KEY)).isEqualTo("first");
    assertThat(files()).hasSize(1);
  }

  @Test
  void objectThatIsReadIsNotTouchedByItsReplacement() throws IOException {
    store.put(KEY, upload("first"), NOBODY_OBJECTS);
    try (StoredObject found = store.open(KEY).orElseThrow()) {
      store.put(KEY, upload("second"), NOBODY_OBJECTS);

      assertThat(found.content().readAllBytes()).isEqualTo("first".getBytes(UTF_8));
    }
  }

  @Test
  void fullDiskIsSaidAndLeavesNothing() throws IOException {
    DirectoryContextStore full = new DirectoryContextStore(root, Long.MAX_VALUE / 2);

    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> full.put(KEY, upload("x"), NOBODY_OBJECTS))
        .matches(e -> e.errorCode() == ErrorCode.STORE_FULL && e.retryable());
    assertThat(files()).isEmpty();
  }

  @Test
  void uploadsUnderWayAreCountedAgainstTheRoom() throws IOException {
    long most = Files.getFileStore(directory).getUsableSpace() / 10 * 6;
    InputStream besideAnother =
        new InputStream() {
          @Override
          public int read() throws IOException {
            store.put(
                StoreKey.of(KEY.taskId(), "render", 2, "other.wav"),
                new Upload(InputStream.nullInputStream(), most, null),
                NOBODY_OBJECTS);
            return -1;
          }
        };

    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> store.put(KEY, new Upload(besideAnother, most, null), NOBODY_OBJECTS))
        .matches(e -> e.errorCode() == ErrorCode.STORE_FULL);
    store.put(KEY, upload("there is room again"), NOBODY_OBJECTS);
    assertThat(read(KEY)).isEqualTo("there is room again");
  }

  @Test
  void linkThatLeadsOutIsNotFollowed() throws IOException {
    store.put(KEY, upload("inside"), NOBODY_OBJECTS);
    Path file = files().get(0);
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    Files.writeString(elsewhere.resolve("piece.wav"), "secret");

    Files.delete(file);
    Files.createSymbolicLink(file, elsewhere.resolve("piece.wav"));
    assertThatIOException().isThrownBy(() -> store.open(KEY));

    Files.delete(file);
    Files.delete(file.getParent());
    Files.createSymbolicLink(file.getParent(), elsewhere);
    assertThatIOException().isThrownBy(() -> store.open(KEY));
    assertThatIOException().isThrownBy(() -> store.put(KEY, upload("x"), NOBODY_OBJECTS));
    assertThat(elsewhere.resolve("piece.wav")).hasContent("secret");
  }

  @Test
  void tasksAreListedInPagesUntilAllWereSeen() throws IOException {
    Set<String> ids = new HashSet<>();
    for (int number = 1; number <= 50; number++) {
      String id = number + "_lark_task_1";
      store.put(StoreKey.of(id, "s", 1, "a"), upload("x"), NOBODY_OBJECTS);
      ids.add(id);
    }

    List<String> seen = new ArrayList<>();
    List<String> page = store.tasks("", 7);
    while (!page.isEmpty()) {
      assertThat(page).hasSizeLessThanOrEqualTo(7);
      seen.addAll(page);
      page = store.tasks(page.get(page.size() - 1), 7);
    }

    assertThat(seen).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  void objectsOfATaskAreListedAndRemoved() throws IOException {
    StoreKey other = StoreKey.of(KEY.taskId(), "a-b_c", 3, "_context");
    store.put(KEY, upload("x"), NOBODY_OBJECTS);
    store.put(other, upload("y"), NOBODY_OBJECTS);
    assertThat(store.entries(KEY.taskId())).extracting(Entry::key).contains(KEY, other);

    store.delete(KEY);
    store.delete(KEY);
    assertThat(store.entries(KEY.taskId())).extracting(Entry::key).containsExactly(other);
    store.delete(other);

    assertThat(store.tasks("", 10)).isEmpty();
    assertThat(store.entries(KEY.taskId())).isEmpty();
    store.put(KEY, upload("again"), NOBODY_OBJECTS);
    assertThat(read(KEY)).isEqualTo("again");
  }

  @Test
  void whatBrokenOffUploadsLeftIsTidiedUpWhenItIsOld() throws IOException {
    store.put(KEY, upload("x"), NOBODY_OBJECTS);
    Path old = Files.writeString(root.resolve("uploads/old"), "half");
    Files.setLastModifiedTime(old, FileTime.from(Instant.EPOCH));
    Path young = Files.writeString(root.resolve("uploads/young"), "half");
    Files.setLastModifiedTime(young, FileTime.from(Instant.EPOCH.plusSeconds(60)));

    store.tidy(Instant.EPOCH.plusSeconds(60));

    assertThat(old).doesNotExist();
    assertThat(young).exists();
    assertThat(read(KEY)).isEqualTo("x");
  }

  @Test
  void whatCannotBeLookedAtIsNotTakenForNothing() throws IOException {
    store.put(KEY, upload("x"), NOBODY_OBJECTS);
    Path run = files().get(0).getParent();
    Set<PosixFilePermission> before = Files.getPosixFilePermissions(run);
    Files.setPosixFilePermissions(run, Set.of(PosixFilePermission.OWNER_READ));
    try {
      assumeFalse(Files.exists(run.resolve("piece.wav")), "root looks at everything");
      assertThatIOException().isThrownBy(() -> store.entries(KEY.taskId()));
    } finally {
      Files.setPosixFilePermissions(run, before);
    }
    assertThat(store.entries(KEY.taskId())).hasSize(1);
  }

  @Test
  void largeObjectIsNeverInMemoryAsAWhole() throws IOException {
    long length = 64L << 20;
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();

    store.put(KEY, new Upload(zeros(length), length, null), NOBODY_OBJECTS);
    try (StoredObject found = store.open(KEY).orElseThrow()) {
      assertThat(found.length()).isEqualTo(length);
      assertThat(found.content().transferTo(OutputStream.nullOutputStream())).isEqualTo(length);
    }

    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(length / 8);
  }

  private static InputStream zeros(long length) {
    return new InputStream() {
      private long left = length;

      @Override
      public int read() {
        return left-- > 0 ? 0 : -1;
      }

      @Override
      public int read(byte[] buffer, int offset, int count) {
        int some = (int) Math.min(count, left);
        left -= some;
        return some == 0 ? -1 : some;
      }
    };
  }
}
