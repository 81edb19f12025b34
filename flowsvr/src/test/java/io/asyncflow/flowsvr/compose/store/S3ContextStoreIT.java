package io.asyncflow.flowsvr.compose.store;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.compose.store.ContextStore.Entry;
import io.asyncflow.flowsvr.compose.store.StoreProperties.S3;
import io.asyncflow.flowsvr.compose.store.upkeep.LiveTasks;
import io.asyncflow.flowsvr.compose.store.upkeep.StoreRetention;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskRows;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.S3Client;

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
    return new S3ContextStore(client(endpoint, bucket), bucket, prefix);
  }

  private static S3Client client(String endpoint, String bucket) {
    return StoreConfiguration.client(new S3(bucket, "", "us-east-1", endpoint));
  }

  /** Counts the questions for lists, which Amazon lets itself be paid for. */
  private static S3Client counting(AtomicInteger lists) throws Exception {
    S3Client client = client(s3.endpoint(), S3Mock.BUCKET);
    return (S3Client)
        Proxy.newProxyInstance(
            S3ContextStoreIT.class.getClassLoader(),
            new Class<?>[] {S3Client.class},
            (proxy, method, args) -> {
              if (method.getName().startsWith("listObjects")) {
                lists.incrementAndGet();
              }
              try {
                return method.invoke(client, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
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
  void objectsOfManyTasksAreListedTogetherHoweverTheyFallIntoPages() throws Exception {
    AtomicInteger lists = new AtomicInteger();
    try (S3ContextStore own = new S3ContextStore(counting(lists), S3Mock.BUCKET, "together/", 3)) {
      Map<String, Integer> objects =
          Map.of(
              "1_lark_task_1", 1,
              "1_lark_task_10", 2, // begins as the one before does
              "12_lark_task_1", 7, // more than two pages
              "2_lark_task_1", 3,
              "3_lark_task_1", 1);
      for (String id : objects.keySet()) {
        for (int i = 0; i < objects.get(id); i++) {
          put(own, StoreKey.of(id, "s", 1, "piece-" + i));
        }
      }
      List<String> ids = own.tasks("", 100);
      assertThat(ids).containsExactlyInAnyOrderElementsOf(objects.keySet());

      lists.set(0);
      Map<String, List<Entry>> all = own.entries(ids);
      assertThat(lists.get()).as("14 keys, 3 a list").isLessThanOrEqualTo(6);
      assertThat(all).hasSize(5);
      all.forEach((id, entries) -> assertThat(entries).hasSize(objects.get(id)));

      lists.set(0);
      assertThat(own.entries(List.of("11_lark_task_1", "1_lark_task_1", "3_lark_task_1")))
          .containsOnlyKeys("1_lark_task_1", "3_lark_task_1");
      assertThat(lists.get()).as("what lies between is not wanted").isLessThanOrEqualTo(3);
      assertThat(own.entries("11_lark_task_1")).isEmpty();
      assertThat(own.entries("12_lark_task_1")).hasSize(7);
    }
  }

  @Test
  void roundOverManyTasksTakesAFewListsAndRestsWhenNothingWasToBeRemoved() throws Exception {
    AtomicInteger lists = new AtomicInteger();
    AtomicLong time = new AtomicLong();
    Node node =
        new Node() {
          @Override
          public long nanoTime() {
            return time.addAndGet(SECONDS.toNanos(10)); // each look at the clock takes a while
          }

          @Override
          public Instant wallClock() {
            return Instant.now().plus(Duration.ofDays(1));
          }
        };
    try (S3ContextStore own = new S3ContextStore(counting(lists), S3Mock.BUCKET, "round/")) {
      for (int task = 1; task <= 300; task++) {
        put(own, StoreKey.of(task + "_lark_task_1", "s", 1, "piece"));
      }
      StoreRetention retention =
          new StoreRetention(own, new FinishedTasks(), node, Duration.ofHours(1));
      lists.set(0);
      assertThat(retention.runOnce()).isZero();
      assertThat(lists.get()).as("for 300 tasks").isLessThanOrEqualTo(6);

      lists.set(0);
      assertThat(retention.runOnce()).isZero();
      assertThat(lists.get()).as("it rests").isZero();

      time.addAndGet(HOURS.toNanos(25));
      retention.runOnce();
      assertThat(lists.get()).isPositive();
    }
  }

  /** Each has ended, and names its piece. */
  private static final class FinishedTasks implements LiveTasks {

    @Override
    public Optional<TaskRow> find(TaskId id) {
      String named = StoreKey.of(id.toString(), "s", 1, "piece").reference();
      return Optional.of(
          TaskRows.aRow().inStatus(TaskStatus.SUCCESS).withEpoch(1).withTexts("", named).build());
    }

    @Override
    public Set<TaskId> copiesOf(TaskId id) {
      return Set.of();
    }

    @Override
    public boolean isGone(TaskId id) {
      return false;
    }
  }

  private static void put(ContextStore into, StoreKey key) throws IOException {
    into.put(key, new Upload(new ByteArrayInputStream(new byte[1]), 1, null), NOBODY_OBJECTS);
  }

  @Test
  void storeThatFailsSaysSo() throws Exception {
    try (S3ContextStore none = store(s3.endpoint(), "nosuchbucket", "")) {
      assertThatIOException().isThrownBy(() -> none.tasks("", 5));
    }
  }
}
