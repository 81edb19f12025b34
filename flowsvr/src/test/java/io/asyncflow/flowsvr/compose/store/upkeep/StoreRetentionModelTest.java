package io.asyncflow.flowsvr.compose.store.upkeep;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.StoreKey;
import io.asyncflow.api.StoredText;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.compose.store.ContextStore;
import io.asyncflow.flowsvr.compose.store.StoredObject;
import io.asyncflow.flowsvr.compose.store.Upload;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskRows;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A task that is held, reported, lost and finished at random, in between each two steps of a
 * collector: whatever its row names is there, and whatever its next report may name; and in the end
 * nothing else is.
 */
class StoreRetentionModelTest {

  private static final int STEPS = 400;
  private static final Instant LONG_AGO = Instant.EPOCH;
  private static final Instant NOW = LONG_AGO.plusSeconds(60);

  /** What a worker knows that holds the task: the context at its hold, and what it has stored. */
  private static final class Holder {
    final int epoch;
    final Set<StoreKey> known;

    Holder(int epoch, Set<StoreKey> known) {
      this.epoch = epoch;
      this.known = new LinkedHashSet<>(known);
    }
  }

  private final class World implements ContextStore, LiveTasks {

    final Random random;
    final Map<StoreKey, String> objects = new HashMap<>();
    final Map<StoreKey, Instant> stored = new HashMap<>();
    final List<Holder> holders = new ArrayList<>();
    TaskStatus status = TaskStatus.WAITING;
    int epoch;
    int reportedEpoch;
    String context = "";
    String result;
    boolean isCollecting;

    World(long seed) {
      random = new Random(seed);
    }

    // what happens

    void step() {
      switch (random.nextInt(10)) {
        case 0, 1 -> hold();
        case 2, 3, 4 -> store();
        case 5, 6 -> report();
        case 7 -> status = status == TaskStatus.EXECUTING ? TaskStatus.WAITING : status;
        case 8 -> age();
        default -> {
          if (!isCollecting) {
            collect();
          }
        }
      }
    }

    private void hold() {
      if (status == TaskStatus.WAITING) {
        status = TaskStatus.EXECUTING;
        epoch++;
        holders.add(new Holder(epoch, reachable(context)));
      }
    }

    private Holder any() {
      return holders.isEmpty() ? null : holders.get(random.nextInt(holders.size()));
    }

    private boolean mayReport(Holder holder) {
      return !status.isFinal() && holder.epoch == epoch && reportedEpoch < epoch;
    }

    private void store() {
      Holder holder = any();
      if (holder != null && mayReport(holder)) {
        put(holder, "file-" + random.nextInt(3), "sound");
      }
    }

    private StoreKey put(Holder holder, String name, String text) {
      StoreKey key = StoreKey.of(TaskRows.id().toString(), "s", holder.epoch, name);
      objects.put(key, text);
      stored.put(key, random.nextBoolean() ? LONG_AGO : NOW);
      holder.known.add(key);
      return key;
    }

    private void report() {
      Holder holder = any();
      if (holder == null || !mayReport(holder)) {
        return;
      }
      String text = textOfSome(holder.known);
      if (random.nextBoolean()) {
        StoreKey key = put(holder, "_context", text);
        text = new StoredText(key, text.length()).toString();
        betweenUploadAndReport();
        if (!mayReport(holder)) {
          return;
        }
      }
      reportedEpoch = holder.epoch;
      switch (random.nextInt(12)) {
        case 0 -> {
          status = TaskStatus.SUCCESS;
          result = text;
        }
        case 1, 2, 3 -> status = TaskStatus.WAITING; // a retry: nothing was committed
        default -> {
          status = TaskStatus.WAITING;
          context = text;
        }
      }
    }

    private void betweenUploadAndReport() {
      if (!isCollecting && random.nextBoolean()) {
        collect();
      }
    }

    private String textOfSome(Set<StoreKey> known) {
      StringBuilder text = new StringBuilder("[");
      known.stream()
          .filter(key -> random.nextInt(3) > 0)
          .forEach(key -> text.append('"').append(key.reference()).append('"'));
      return text.append(']').toString();
    }

    private void age() {
      stored.replaceAll((key, when) -> LONG_AGO);
    }

    void collect() {
      isCollecting = true;
      try {
        new StoreRetention(this, this, new Node(), Duration.ZERO)
            .collect(List.of(TaskRows.id().toString()), NOW);
      } catch (IOException e) {
        throw new AssertionError(e);
      } finally {
        isCollecting = false;
      }
    }

    private void meanwhile() {
      while (isCollecting && random.nextInt(3) > 0) {
        step();
      }
    }

    // what must be true

    private Set<StoreKey> reachable(String text) {
      Set<StoreKey> found = new HashSet<>();
      List<String> texts = new ArrayList<>(List.of(text));
      while (!texts.isEmpty()) {
        String next = texts.remove(0);
        for (StoreKey key : Set.copyOf(objects.keySet())) {
          if (next.contains(key.toString()) && found.add(key) && key.name().startsWith("_")) {
            texts.add(objects.get(key));
          }
        }
      }
      return found;
    }

    /** Keys that a text names, there or not. */
    private void requireAll(String text) {
      Set<StoreKey> seen = new HashSet<>();
      List<String> texts = new ArrayList<>(List.of(text));
      while (!texts.isEmpty()) {
        String next = texts.remove(0);
        for (String part : next.split("\"")) {
          String name = part.startsWith(StoreKey.REFERENCE) ? part.substring(7) : part;
          StoreKey.parse(name)
              .ifPresent(
                  key -> {
                    assertThat(objects).as("named by %s", text).containsKey(key);
                    if (key.name().startsWith("_") && seen.add(key)) {
                      texts.add(objects.get(key));
                    }
                  });
        }
      }
    }

    void check() {
      requireAll(context);
      requireAll(result == null ? "" : result);
      for (Holder holder : holders) {
        if (mayReport(holder)) {
          assertThat(objects.keySet())
              .as("what epoch %d may still report", holder.epoch)
              .containsAll(holder.known);
        }
      }
    }

    void finishAndCollect() {
      status = TaskStatus.SUCCESS;
      age();
      collect();
      Set<StoreKey> named = reachable(context);
      named.addAll(reachable(result == null ? "" : result));
      assertThat(objects.keySet()).isEqualTo(named);
    }

    // what the collector sees, with something happening before each look

    @Override
    public Optional<TaskRow> find(TaskId id) {
      meanwhile();
      TaskRow row =
          TaskRows.aRow()
              .inStatus(status)
              .withEpoch(epoch)
              .reportedUpTo(reportedEpoch, "r")
              .withTexts(context, result)
              .build();
      return Optional.of(row);
    }

    @Override
    public Set<TaskId> copiesOf(TaskId id) {
      return Set.of();
    }

    @Override
    public boolean isGone(TaskId id) {
      return false;
    }

    @Override
    public Map<String, List<Entry>> entries(List<String> taskIds) {
      meanwhile();
      return stored.entrySet().stream()
          .map(e -> new Entry(e.getKey(), 1, e.getValue()))
          .collect(groupingBy(entry -> entry.key().taskId()));
    }

    @Override
    public Optional<StoredObject> open(StoreKey key) {
      meanwhile();
      return Optional.ofNullable(objects.get(key))
          .map(text -> text.getBytes(StandardCharsets.UTF_8))
          .map(text -> new StoredObject(new ByteArrayInputStream(text), text.length));
    }

    @Override
    public void delete(StoreKey key) {
      meanwhile();
      objects.remove(key);
      stored.remove(key);
    }

    @Override
    public void put(StoreKey key, Upload upload, Runnable guard) {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<String> tasks(String after, int limit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Usage usage() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void tidy(Instant before) {
      throw new UnsupportedOperationException();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 1_000, 2_000, 3_000})
  void nothingThatIsNamedIsRemovedAndNothingElseStays(long firstSeed) {
    for (long seed = firstSeed; seed < firstSeed + 250; seed++) {
      World world = new World(seed);
      try {
        for (int step = 0; step < STEPS && !world.status.isFinal(); step++) {
          world.step();
          world.check();
        }
        world.finishAndCollect();
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }
}
