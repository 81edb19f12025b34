package io.asyncflow.flowsvr.task.event;

import static java.util.Comparator.comparingLong;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.flowsvr.base.system.db.DatabaseWatch;
import io.asyncflow.flowsvr.base.system.db.IdStep;
import io.asyncflow.flowsvr.task.event.log.EventIds;
import io.asyncflow.flowsvr.task.event.log.EventStore;
import io.asyncflow.flowsvr.task.event.log.EventStore.Moment;
import io.asyncflow.flowsvr.task.event.log.EventStore.Range;
import io.asyncflow.flowsvr.task.event.log.EventStore.Remainder;
import io.asyncflow.flowsvr.task.event.log.LoggedEvent;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The tail, on a database in memory whose transactions are as slow as they may be, and whose step
 * changes while they run. All of it happens in the tail's thread: between two statements, and
 * between two rounds.
 */
@Timeout(300)
class EventTailStepTest {

  private static final int SEEDS = 15;
  private static final Instant NOON = Instant.parse("2031-05-01T12:00:00Z");
  private static final LocalDate DAY = LocalDate.of(2031, 5, 1);
  private static final long BASE = EventIds.before(DAY);
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  /** The database ends a session that is silent for 90 s. */
  private static final long SILENCE = 89 * SECOND;

  /** The age of a gap that is given up, and two slow rounds. */
  private static final long LATE = 140 * SECOND;

  private static final long END = 1_200 * SECOND;

  private static final IdStep ODD = new IdStep(2, 1);
  private static final List<IdStep> STEPS =
      List.of(
          IdStep.ONE, ODD, new IdStep(2, 2), new IdStep(3, 1), new IdStep(3, 2), new IdStep(3, 3));

  private static final class Database {

    private record Act(long time, Runnable act) {}

    private final PriorityQueue<Act> acts = new PriorityQueue<>(comparingLong(Act::time));
    private final Random random;
    private final TreeSet<Long> rows = new TreeSet<>();
    private final TreeMap<Long, Long> writtenAt = new TreeMap<>();
    private final TreeSet<Long> toCome = new TreeSet<>();
    private final Map<Long, Integer> orderOfIds = new HashMap<>();
    private final Map<Long, Integer> orderOfCommits = new HashMap<>();
    private volatile long nanos;
    private long next = BASE + 1;
    private IdStep step;
    private long changed;
    private int order;
    private int looks;
    private Runnable beforeRows = () -> {};

    Database(Random random, IdStep step) {
      this.random = random;
      this.step = step;
    }

    void change(long time, IdStep to) {
      acts.add(
          new Act(
              time,
              () -> {
                step = to;
                changed = time;
              }));
    }

    /**
     * @param followsStep as statements of Galera do; otherwise the session has the step of its
     *     beginning
     */
    void transaction(
        int count, long begin, long insert, long end, boolean commits, boolean followsStep) {
      IdStep[] own = new IdStep[1];
      List<Long> ids = new ArrayList<>();
      acts.add(new Act(begin, () -> own[0] = step));
      acts.add(
          new Act(
              insert,
              () -> {
                IdStep by = followsStep ? step : own[0];
                for (int i = 0; i < count; i++) {
                  long id = by.ceiling(next);
                  next = id + 1;
                  ids.add(id);
                  writtenAt.put(id, insert);
                  orderOfIds.put(id, ++order);
                }
                if (commits) {
                  toCome.addAll(ids);
                }
              }));
      acts.add(
          new Act(
              end,
              () -> {
                ids.forEach(id -> orderOfCommits.put(id, ++order));
                if (commits) {
                  rows.addAll(ids);
                  toCome.removeAll(ids);
                }
              }));
    }

    void pass(long time) {
      nanos += time;
      while (!acts.isEmpty() && acts.peek().time() <= nanos) {
        acts.poll().act().run();
      }
    }

    private <T> T answer(T answer) {
      pass(upTo(random, random.nextInt(4) == 0 ? 3 * SECOND : SECOND / 20));
      return answer;
    }

    private List<LoggedEvent> events(Set<Long> among, Predicate<Long> which) {
      return among.stream()
          .filter(which)
          .map(
              id ->
                  new LoggedEvent(
                      id,
                      0,
                      Event.ofSchedule("", "ACTIVE", null)
                          .written("" + id, 0L, EventKind.SCHEDULE_STATE, "lark")))
          .toList();
    }

    private Moment moment() {
      return new Moment(NOON.toEpochMilli() + TimeUnit.NANOSECONDS.toMillis(nanos), step);
    }

    private List<Long> idsOf(List<Remainder> remainders) {
      looks++;
      return rows.stream()
          .filter(
              id ->
                  remainders.stream()
                      .anyMatch(
                          each -> id > each.after() && id <= each.to() && !each.step().reaches(id)))
          .toList();
    }

    private List<LoggedEvent> within(List<Range> ranges) {
      return events(rows, id -> ranges.stream().anyMatch(r -> r.from() <= id && id <= r.to()));
    }

    private long lastBefore(long time) {
      long before = TimeUnit.MILLISECONDS.toNanos(time - NOON.toEpochMilli());
      return rows.descendingSet().stream()
          .filter(id -> writtenAt.get(id) < before)
          .findFirst()
          .orElse(BASE);
    }

    EventStore store() {
      EventStore store = mock(withSettings().stubOnly());
      when(store.moment()).then(call -> answer(moment()));
      when(store.after(any(), anyLong(), anyInt()))
          .then(
              call -> {
                beforeRows.run();
                return answer(events(rows.tailSet(call.getArgument(1), false), id -> true));
              });
      when(store.idsAfter(any(), anyLong(), anyInt()))
          .then(call -> answer(List.copyOf(rows.tailSet(call.getArgument(1), false))));
      when(store.idsOf(any(), any())).then(call -> answer(idsOf(call.getArgument(1))));
      when(store.within(any(), any())).then(call -> answer(within(call.getArgument(1))));
      when(store.lastBefore(any(), anyLong()))
          .then(call -> answer(lastBefore(call.getArgument(1))));
      return store;
    }

    DatabaseWatch watch() {
      DatabaseWatch watch = mock(withSettings().stubOnly());
      when(watch.hasKept(any(), anyLong()))
          .then(call -> step.equals(call.getArgument(0)) && changed <= call.<Long>getArgument(1));
      return watch;
    }

    Node node() {
      return new Node() {
        @Override
        public long nanoTime() {
          return nanos;
        }
      };
    }
  }

  /** What is looked at after each round, in the tail's thread. */
  private abstract static class Rounds implements EventTail.Listener {

    private final CompletableFuture<Void> end = new CompletableFuture<>();
    final Database database;
    final EventTail tail;

    Rounds(Database database) {
      this.database = database;
      this.tail =
          new EventTail(
              database.store(),
              database.watch(),
              database.node(),
              new TaskMeters(new SimpleMeterRegistry()));
    }

    abstract void look(long stable);

    @Override
    public void advanced() {
      if (end.isDone()) {
        return;
      }
      try {
        long stable = tail.stable().orElseThrow();
        assertThat(database.toCome.headSet(stable, true)).as("below stable").isEmpty();
        look(stable);
        if (database.nanos > END) {
          assertThat(stable).isEqualTo(database.rows.last());
          end.complete(null);
        }
      } catch (Throwable e) {
        end.completeExceptionally(e);
      }
      database.pass(SECOND + upTo(database.random, SECOND));
      tail.wake();
    }

    Rounds run() {
      try {
        tail.add(this);
        end.join();
        return this;
      } finally {
        tail.destroy();
      }
    }
  }

  /** Gets all events, from before the first one on. */
  private static class Follower extends Rounds {

    final TreeSet<Long> told = new TreeSet<>();
    private final EventReader reader = tail.readerAfter(null);
    private final TreeMap<Long, Long> lastAt = new TreeMap<>(Map.of(Long.MIN_VALUE, BASE));

    Follower(Database database) {
      super(database);
    }

    @Override
    void look(long stable) {
      for (List<ReadEvent> page = reader.read(100); !page.isEmpty(); page = reader.read(100)) {
        page.forEach(event -> tell(Long.parseLong(event.event().id())));
      }
      assertThat(told.containsAll(database.rows.headSet(stable, true))).isTrue();
      long before = lastAt.floorEntry(database.nanos - LATE).getValue();
      assertThat(stable).as("not later than any gap").isGreaterThanOrEqualTo(before);
      lastAt.put(database.nanos, last());
      if (database.nanos > END) {
        assertThat(told).isEqualTo(database.rows);
      }
    }

    long last() {
      return told.isEmpty() ? BASE : told.last();
    }

    private void tell(long id) {
      assertThat(told.add(id)).as("once").isTrue();
      int order = database.orderOfIds.get(id);
      database.rows.stream()
          .filter(other -> database.orderOfCommits.get(other) < order && !told.contains(other))
          .forEach(other -> fail(other + " was committed before " + id + " was written"));
    }
  }

  private static long upTo(Random random, long time) {
    return (long) (random.nextDouble() * time);
  }

  /** Changes and transactions from 5 to 800 s, many of them at the time of a change. */
  private static Database busy(int seed, boolean followsStep) {
    Random random = new Random(seed);
    Database database = new Database(random, STEPS.get(random.nextInt(STEPS.size())));
    database.changed = random.nextBoolean() ? -1_000 * SECOND : 0;
    List<Long> times = new ArrayList<>(List.of(5 * SECOND));
    for (int change = random.nextInt(5); change > 0; change--) {
      long time = 10 * SECOND + upTo(random, 600 * SECOND);
      database.change(time, STEPS.get(random.nextInt(STEPS.size())));
      times.add(time - SECOND);
    }
    for (int i = 0; i < 300; i++) {
      long begin =
          random.nextBoolean()
              ? 5 * SECOND + upTo(random, 700 * SECOND)
              : times.get(random.nextInt(times.size())) + upTo(random, 3 * SECOND);
      long insert = begin + upTo(random, random.nextInt(4) == 0 ? SILENCE : SECOND / 10);
      long end = insert + upTo(random, random.nextInt(4) == 0 ? SILENCE : SECOND / 2);
      int count = 1 + random.nextInt(3);
      database.transaction(count, begin, insert, end, random.nextInt(10) > 0, followsStep);
    }
    return database;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void nothingIsLostOrToldTwiceWhileTheStepChanges(boolean followsStep) {
    for (int seed = 0; seed < SEEDS; seed++) {
      new Follower(busy(seed, followsStep)).run();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aTailThatBeginsAtAnyTimeTellsNoIdAsStableBelowWhichOneCanAppear(boolean followsStep) {
    for (int seed = 0; seed < SEEDS; seed++) {
      Database database = busy(seed, followsStep);
      database.pass(upTo(database.random, 700 * SECOND));
      new Rounds(database) {
        @Override
        void look(long stable) {}
      }.run();
    }
  }

  @Test
  void aStepThatChangesWithinARoundLetsStablePassNothing() {
    Database database = new Database(new Random(7), ODD);
    database.changed = -300 * SECOND;
    database.transaction(1, 5 * SECOND, 5 * SECOND + 1, 5 * SECOND + 2, true, true);
    database.beforeRows =
        () -> {
          if (!database.rows.isEmpty() && database.step.equals(ODD)) {
            long now = database.nanos;
            database.change(now, IdStep.ONE);
            for (int i = 1; i <= 10; i++) { // the even ones stay open
              long end = now + 2 * i + (i % 2) * 60 * SECOND;
              database.transaction(1, now + 2 * i - 1, now + 2 * i, end, true, true);
            }
            database.pass(100);
          }
        };

    new Follower(database).run();
  }

  @Test
  void aSessionMayHaveTakenItsStepLongBeforeItCommits() {
    Database database = new Database(new Random(7), ODD);
    database.change(10 * SECOND, new IdStep(2, 2));
    database.transaction(
        1, 9 * SECOND, 9 * SECOND + SILENCE, 9 * SECOND + 2 * SILENCE, true, false);
    for (int i = 5; i < 300; i++) {
      database.transaction(2, i * SECOND, i * SECOND + 1, i * SECOND + 2, true, true);
    }

    new Follower(database).run();
  }

  @Test
  void aStepThatHasLongBeenKeptIsAsGoodAsOne() {
    for (IdStep step : STEPS) {
      Database database = new Database(new Random(7), step);
      database.changed = -300 * SECOND;
      for (int i = 5; i < 100; i++) {
        database.transaction(2, i * SECOND, i * SECOND + 1, i * SECOND + 2, true, true);
      }
      new Follower(database) {
        @Override
        void look(long stable) {
          super.look(stable);
          assertThat(stable).isEqualTo(last());
        }
      }.run();
      assertThat(database.looks).as("for ids of other steps").isZero();
    }
  }
}
