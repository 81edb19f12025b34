package io.asyncflow.flowsvr.compose.store.upkeep;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

import io.asyncflow.api.StoreKey;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.compose.store.ContextStore;
import io.asyncflow.flowsvr.compose.store.DirectoryContextStore;
import io.asyncflow.flowsvr.compose.store.Upload;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskRows;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a collector makes of retries that happen while it looks. */
class StoreRetentionTest {

  private static final TaskId ORIGINAL = inTable(1);
  private static final TaskId COPY = inTable(2);
  private static final TaskId COPY_OF_COPY = inTable(3);
  private static final StoreKey PIECE = StoreKey.of(ORIGINAL.toString(), "render", 1, "piece");

  @TempDir Path directory;

  private static TaskId inTable(int number) {
    return new TaskId(number, new TaskTable(new TaskType("lark"), number));
  }

  /** The copy is copied, and dropped, just before its row is read; the original was before. */
  private static final class CopiedMeanwhile implements LiveTasks {

    private final Set<TaskId> copies = new HashSet<>(Set.of(COPY));
    private String lastContext = PIECE.reference();

    @Override
    public Optional<TaskRow> find(TaskId id) {
      if (id.equals(COPY)) {
        copies.add(COPY_OF_COPY);
      }
      return id.equals(COPY_OF_COPY)
          ? Optional.of(TaskRows.aRow().withTexts(lastContext, null).build())
          : Optional.empty();
    }

    @Override
    public Set<TaskId> copiesOf(TaskId id) {
      return Set.copyOf(copies);
    }

    @Override
    public boolean isGone(TaskId id) {
      return !id.equals(COPY_OF_COPY);
    }
  }

  @Test
  void whatBrokenOffUploadsLeftGoesWhileItRests() throws IOException {
    AtomicLong looks = new AtomicLong();
    Node node =
        new Node() {
          @Override
          public long nanoTime() {
            return TimeUnit.SECONDS.toNanos(looks.incrementAndGet()); // a round takes a while
          }
        };
    ContextStore store = new DirectoryContextStore(directory.resolve("store"), 0);
    ContextStore watched = mock(ContextStore.class, delegatesTo(store));
    StoreRetention retention =
        new StoreRetention(watched, new CopiedMeanwhile(), node, Duration.ofHours(1));
    retention.runOnce();
    Path uploads = Files.createDirectories(directory.resolve("store/uploads"));
    Path unfinished = Files.writeString(uploads.resolve("unfinished"), "half");
    Files.setLastModifiedTime(unfinished, FileTime.from(Instant.EPOCH));
    clearInvocations(watched);

    retention.runOnce();

    verify(watched, never().description("it rests")).tasks(any(), anyInt());
    assertThat(unfinished).doesNotExist();
  }

  @Test
  void nothingGoesWhileAnotherCopyIsMade() throws IOException {
    ContextStore store = new DirectoryContextStore(directory.resolve("store"), 0);
    byte[] sound = "sound".getBytes(UTF_8);
    store.put(PIECE, new Upload(new ByteArrayInputStream(sound), sound.length, null), () -> {});
    CopiedMeanwhile tasks = new CopiedMeanwhile();
    StoreRetention retention = new StoreRetention(store, tasks, new Node(), Duration.ZERO);

    assertThat(retention.collect(List.of(ORIGINAL.toString()), Instant.MAX))
        .as("copied just now")
        .isZero();
    assertThat(retention.collect(List.of(ORIGINAL.toString()), Instant.MAX))
        .as("the last copy names it")
        .isZero();

    tasks.lastContext = "";
    assertThat(retention.collect(List.of(ORIGINAL.toString()), Instant.MAX)).isEqualTo(1);
  }
}
