package io.asyncflow.flowsvr.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import io.asyncflow.flowsvr.store.ContextStore.Entry;
import io.asyncflow.flowsvr.store.StoreProperties.S3;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store in a bucket, as a mock of S3 has it. */
class S3ContextStoreIT {

  private static final Runnable NOBODY_OBJECTS = () -> {};

  @TempDir static Path files;
  private static S3Mock s3;
  private static S3ContextStore store;

  @BeforeAll
  static void start() throws Exception {
    System.setProperty("aws.accessKeyId", "any");
    System.setProperty("aws.secretAccessKey", "any");
    s3 = S3Mock.start(files);
    store = store(s3.endpoint(), S3Mock.BUCKET, "tests/");
  }

  private static S3ContextStore store(String endpoint, String bucket, String prefix) {
    S3 settings = new S3(bucket, prefix, "us-east-1", endpoint);
    return new S3ContextStore(StoreConfiguration.client(settings), bucket, prefix);
  }

  @AfterAll
  static void stop() {
    System.clearProperty("aws.accessKeyId");
    System.clearProperty("aws.secretAccessKey");
    if (store != null) {
      store.close();
    }
    s3.close();
  }

  private static StoreKey key(int task, int epoch, String name) {
    return StoreKey.of(task + "_lark_task_1", "render", epoch, name);
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private static void put(StoreKey key, byte[] bytes) throws IOException {
    store.put(key, new Upload(new ByteArrayInputStream(bytes), bytes.length, null), NOBODY_OBJECTS);
  }

  private static byte[] read(StoreKey key) throws IOException {
    try (StoredObject found = store.open(key).orElseThrow()) {
      byte[] read = found.content().readAllBytes();
      assertThat(found.length()).isEqualTo(read.length);
      return read;
    }
  }

  @Test
  void objectsOfAnySizeComeBackAsTheyWerePut() throws IOException {
    for (int length : List.of(0, 1, 5_000, 9_000_000)) {
      StoreKey key = key(1, 1, "of-" + length);
      put(key, bytes(length));
      assertThat(read(key)).isEqualTo(bytes(length));
    }
    put(key(1, 1, "of-1"), bytes(7));
    assertThat(read(key(1, 1, "of-1"))).isEqualTo(bytes(7));
    assertThat(store.open(key(1, 1, "missing"))).isEmpty();
  }

  @Test
  void halfReadObjectCanBeLeft() throws IOException {
    StoreKey key = key(2, 1, "large");
    put(key, bytes(9_000_000));
    try (StoredObject found = store.open(key).orElseThrow()) {
      assertThat(found.content().readNBytes(10)).hasSize(10);
    }
  }

  @Test
  void uploadThatIsNotWhatItWasSaidToBeLeavesNothing() throws IOException {
    for (int length : List.of(12, 300_000)) {
      StoreKey key = key(3, 1, "bad-" + length);
      List<Upload> bad =
          List.of(
              new Upload(new ByteArrayInputStream(bytes(length)), length + 1, null),
              new Upload(new ByteArrayInputStream(bytes(length)), length - 1, null),
              new Upload(new ByteArrayInputStream(bytes(length)), length, new byte[32]));
      for (Upload upload : bad) {
        assertThatExceptionOfType(FlowException.class)
            .isThrownBy(() -> store.put(key, upload, NOBODY_OBJECTS))
            .matches(e -> e.errorCode() == ErrorCode.MALFORMED_BODY);
      }
      assertThat(store.open(key)).isEmpty();
    }
  }

  @Test
  void whatTheGuardRefusesChangesNothing() throws IOException {
    StoreKey key = key(4, 1, "guarded");
    put(key, bytes(3));
    byte[] late = bytes(100);

    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(
            () ->
                store.put(
                    key,
                    new Upload(new ByteArrayInputStream(late), late.length, null),
                    () -> {
                      throw new FlowException(ErrorCode.LEASE_LOST, "somebody else holds it");
                    }))
        .matches(e -> e.errorCode() == ErrorCode.LEASE_LOST);

    assertThat(read(key)).isEqualTo(bytes(3));
  }

  @Test
  void tasksAreListedInPagesUntilAllWereSeen() throws Exception {
    S3ContextStore own = store(s3.endpoint(), S3Mock.BUCKET, "paged/");
    Set<String> ids = new HashSet<>();
    for (int task = 1; task <= 12; task++) {
      String id = task + "_lark_task_" + task;
      StoreKey key = StoreKey.of(id, "s", 1, "a");
      own.put(key, new Upload(new ByteArrayInputStream(bytes(1)), 1, null), NOBODY_OBJECTS);
      ids.add(id);
    }

    List<String> seen = new ArrayList<>();
    List<String> page = own.tasks("", 5);
    while (!page.isEmpty()) {
      assertThat(page).hasSizeLessThanOrEqualTo(5);
      seen.addAll(page);
      page = own.tasks(page.get(page.size() - 1), 5);
    }
    own.close();

    assertThat(seen).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  void objectsOfATaskAreListedAndRemoved() throws IOException {
    StoreKey first = key(5, 1, "a");
    StoreKey second = key(5, 2, "_context");
    put(first, bytes(1));
    put(second, bytes(1));
    put(key(55, 1, "a"), bytes(1));

    List<Entry> entries = store.entries("5_lark_task_1");
    assertThat(entries).extracting(Entry::key).containsExactlyInAnyOrder(first, second);
    assertThat(entries).allMatch(entry -> entry.stored().isAfter(Instant.EPOCH));

    store.delete(first);
    store.delete(first);
    assertThat(store.entries("5_lark_task_1")).extracting(Entry::key).containsExactly(second);
  }

  @Test
  void storeThatFailsSaysSo() throws Exception {
    try (S3ContextStore none = store(s3.endpoint(), "nosuchbucket", "")) {
      assertThatIOException().isThrownBy(() -> none.tasks("", 5));
    }
  }
}
