package io.asyncflow.flowsvr.queue.due;

import static io.asyncflow.flowsvr.task.table.Freshness.KNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.queue.due.DueReader.Look;
import io.asyncflow.flowsvr.queue.due.DueReader.LookRequest;
import io.asyncflow.flowsvr.queue.due.DueStore.Position;
import io.asyncflow.flowsvr.queue.due.DueStore.Seen;
import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.index.Range;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.flowsvr.task.table.Freshness;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.QueryTimeoutException;

/** What is looked at; the database is a map. */
class DueReaderTest {

  private static final TaskType LARK = new TaskType("lark");
  private static final TaskTable TABLE = new TaskTable(LARK, 1);
  private static final Source BUSY = new Source(TABLE, "busy");
  private static final Source QUIET = new Source(TABLE, "quiet");
  private static final Source NEW = new Source(TABLE, "new");
  private static final long NOW = 3_600_000;

  private final Database database = new Database();
  private final TaskFamilies families = mock();
  private final Node node = mock();
  private final DueReader looks = new DueReader(database, mock(), families, node);

  @BeforeEach
  void aTypeWithOneTable() {
    when(families.find(LARK, KNOWN))
        .thenReturn(Optional.of(new TaskFamily(LARK, List.of(TABLE), List.of(TABLE), 0, false)));
  }

  @Test
  void quietStageIsLookedAtBehindWhatWasTakenOfItForAHoldThatDoesNotWait() {
    database.waits(BUSY, NOW - 60_000);
    database.waits(QUIET, NOW - 50_000, NOW + 50_000);
    look("busy", "quiet");
    database.waiting.get(QUIET).remove(NOW - 50_000); // somebody took it
    look("busy", "quiet"); // and now it is known to be quiet

    Look look = look("busy", "quiet");

    assertThat(database.lastAsked())
        .isEqualTo(Map.of(new Range(BUSY, NOW - 60_250), 10, new Range(QUIET, NOW - 250), 1));
    assertThat(look.dueStages()).containsExactly("busy");
    assertThat(look.isWholeFor(Set.of("quiet"))).isTrue();
    assertThat(look.readings().get(QUIET).mayHaveMore()).as("it asked for one head").isTrue();
    assertThat(look.readings().get(BUSY).mayHaveMore()).isFalse();
  }

  @Test
  void rangeThatWasBusyIsGuessedIfItIsTheOnlyOneAndAllWhoAreAnsweredAnywayTakeOfIt() {
    database.waits(BUSY, NOW - 60_000);
    Set<String> busy = Set.of("busy");
    assertThat(look(true, busy, busy).guess()).as("not known yet").isEmpty();
    Look look = look(true, busy, busy);
    assertThat(look.guess()).contains(new Range(BUSY, NOW - 60_250));
    assertThat(look.hasDue()).isTrue();
    assertThat(database.asked).hasSize(1);
    assertThat(look(false, busy, busy).guess()).isEmpty();

    Set<String> both = Set.of("busy", "quiet");
    look(false, both);
    assertThat(look(true, both, busy).guess()).isPresent();
    assertThat(look(true, both, busy, Set.of("quiet")).guess()).isEmpty();
    database.waits(QUIET, NOW - 50_000);
    looks.on(new TasksWaiting(LARK, Set.of(TABLE), Set.of("quiet"), true));
    assertThat(look(true, both, busy).guess()).as("two are busy").isEmpty();
  }

  @Test
  void whichStagesThereAreIsAskedOnceASecondHoweverManyLooksTheyTake() {
    aWaitingTaskOfEachOf(250);
    Look first = lookAtAll(10);
    Look second = lookAtAll(10);
    assertThat(first.readings().keySet()).hasSize(200);
    assertThat(second.readings().keySet()).hasSize(50);
    assertThat(database.timesAskedForStages).isEqualTo(2);

    when(node.nanoTime()).thenReturn(TimeUnit.MILLISECONDS.toNanos(999));
    assertThat(lookAtAll(10).readings().keySet()).isEqualTo(first.readings().keySet());
    assertThat(lookAtAll(10).readings().keySet()).isEqualTo(second.readings().keySet());
    assertThat(database.timesAskedForStages).isEqualTo(2);

    when(node.nanoTime()).thenReturn(TimeUnit.MILLISECONDS.toNanos(1_000));
    lookAtAll(10);
    lookAtAll(10);
    assertThat(database.timesAskedForStages).isEqualTo(4);
  }

  @Test
  void ofManyStagesFewTasksEachAreRead() {
    aWaitingTaskOfEachOf(250);
    lookAtAll(1_000);
    assertThat(database.lastAsked()).hasSize(200);
    assertThat(database.lastAsked().values()).containsOnly(10);
    lookAtAll(7);
    assertThat(database.lastAsked().values()).as("no more than are wanted").containsOnly(7);
  }

  @Test
  void newsIsNotLostByALookThatFails() {
    aWaitingTaskOfEachOf(250);
    lookAtAll(10);
    somethingNewWaits();
    database.failure = new QueryTimeoutException("the database went away");
    assertThatThrownBy(() -> lookAtAll(10)).isSameAs(database.failure);
    database.failure = null;
    assertThat(lookAtAll(10).readings()).containsKey(NEW);
    assertThat(lookAtAll(10).readings()).as("once").doesNotContainKey(NEW);
  }

  @Test
  void lookThatGotToNothingIsMadeAgainWithItsNews() {
    aWaitingTaskOfEachOf(250);
    lookAtAll(10);
    somethingNewWaits();
    Look look = lookAtAll(10);
    looks.repeatLook(look);
    Look again = lookAtAll(10);
    assertThat(again.readings().keySet())
        .containsExactlyInAnyOrderElementsOf(look.readings().keySet());
    assertThat(again.readings()).containsKey(NEW);
    assertThat(again.isCut()).isTrue();
  }

  @Test
  void whatALookAtOldTablesSawIsLookedAtAgain() {
    aWaitingTaskOfEachOf(250);
    TaskTable next = new TaskTable(LARK, 2);
    database.end = 2;
    when(families.find(LARK, Freshness.NOW))
        .thenReturn(
            Optional.of(
                new TaskFamily(LARK, List.of(TABLE, next), List.of(TABLE, next), 0, false)));
    assertThat(lookAtAll(10).dueStages()).contains("s000", "s199").doesNotContain("s200");
    assertThat(database.asked).hasSize(2);
  }

  @Test
  void turnGoesPastAPartWhoseStagesAreAllPaused() {
    aWaitingTaskOfEachOf(250);
    Set<String> first = lookAtAll(10).dueStages();
    lookAtAll(10); // the rest

    assertThat(lookAtAll(10, first).dueStages()).hasSize(50).doesNotContainAnyElementsOf(first);
  }

  @Test
  void lookGoesOnUntilItHasSeenAllSourcesOrOneIsDue() {
    for (int i = 0; i < 450; i++) {
      database.waits(new Source(TABLE, String.format(Locale.ROOT, "s%03d", i)), NOW + 60_000);
    }
    Look nothing = lookAtAll(10);
    assertThat(nothing.hasDue()).isFalse();
    assertThat(nothing.isCut()).isFalse();
    assertThat(database.asked).extracting(Map::size).containsExactly(200, 200, 50);

    database.waits(new Source(TABLE, "s250"), NOW - 1);
    Look look = lookAtAll(10);
    assertThat(look.dueStages()).containsExactly("s250");
    assertThat(look.isCut()).as("there are others behind it").isTrue();
    Look next = lookAtAll(10);
    assertThat(next.dueStages()).as("it began behind, and went round").containsExactly("s250");

    database.waits(new Source(TABLE, "s250"), NOW + 60_000);
    database.asked.clear();
    assertThat(lookAtAll(10).isCut()).isFalse();
    assertThat(database.asked).as("each once").extracting(Map::size).containsExactly(50, 200, 200);
  }

  @Test
  void lookAtVeryManySourcesEndsAndTheNextOneGoesOn() {
    for (int i = 0; i < 5_050; i++) {
      database.waits(new Source(TABLE, String.format(Locale.ROOT, "s%04d", i)), NOW + 60_000);
    }
    assertThat(lookAtAll(10).isCut()).isTrue();
    assertThat(database.asked).hasSize(25);
    database.waits(new Source(TABLE, "s5040"), NOW - 1);
    assertThat(lookAtAll(10).dueStages()).containsExactly("s5040");
    assertThat(database.asked).hasSize(26);
  }

  @Test
  void pausedStageIsNotLookedAtNorWaitedFor() {
    database.waits(BUSY, NOW - 1_000);
    Look look =
        looks.look(
            new LookRequest(
                LARK,
                Set.of("busy"),
                List.of(Set.of("busy")),
                10,
                false,
                List.of(),
                Map::of,
                Set.of("busy")));
    assertThat(look.hasDue()).isFalse();
    assertThat(look.isWholeFor(Set.of("busy"))).isTrue();
    assertThat(database.asked).isEmpty();
    assertThat(looks.quietForMs(look, LARK, Set.of("busy"), Set.of("busy")))
        .as("the pause may end")
        .isEqualTo(1_000);
  }

  private void somethingNewWaits() {
    database.waits(NEW, NOW - 1_000);
    looks.on(new TasksWaiting(LARK, Set.of(TABLE), Set.of(NEW.stage()), true));
  }

  private Look lookAtAll(int limit) {
    return lookAtAll(limit, Set.of());
  }

  private Look lookAtAll(int limit, Set<String> paused) {
    return looks.look(
        new LookRequest(
            LARK, Set.of(), List.of(Set.of()), limit, false, List.of(), Map::of, paused));
  }

  private void aWaitingTaskOfEachOf(int stages) {
    for (int i = 0; i < stages; i++) {
      database.waits(new Source(TABLE, String.format(Locale.ROOT, "s%03d", i)), NOW - 1_000);
    }
  }

  private Look look(String... stages) {
    return look(false, Set.of(stages), Set.of(stages));
  }

  @SafeVarargs
  private Look look(boolean mayGuess, Set<String> stages, Set<String>... required) {
    return looks.look(
        new LookRequest(
            LARK, stages, List.of(required), 10, mayGuess, List.of(), Map::of, Set.of()));
  }

  /** What waits, and what looks asked. */
  private static final class Database extends DueStore {

    final Map<Source, TreeSet<Long>> waiting = new HashMap<>();
    final List<Map<Range, Integer>> asked = new ArrayList<>();
    int timesAskedForStages;
    int end = 1;
    RuntimeException failure;

    Database() {
      super(null);
    }

    void waits(Source source, Long... orderTimes) {
      waiting.computeIfAbsent(source, s -> new TreeSet<>()).addAll(List.of(orderTimes));
    }

    Map<Range, Integer> lastAsked() {
      return asked.get(asked.size() - 1);
    }

    @Override
    public List<String> waitingStages(TaskTable table, String after, int most) {
      timesAskedForStages++;
      return waiting.keySet().stream()
          .filter(source -> source.table().equals(table))
          .map(Source::stage)
          .filter(stage -> stage.compareTo(after) > 0)
          .sorted()
          .limit(most)
          .toList();
    }

    @Override
    Seen look(TaskType type, Map<Range, Integer> limits, Collection<HoldKey> repeatable) {
      if (failure != null) {
        throw failure;
      }
      List<Head> heads = new ArrayList<>();
      for (Range range : limits.keySet()) {
        waiting.getOrDefault(range.source(), new TreeSet<>()).tailSet(range.from()).stream()
            .limit(limits.get(range))
            .forEach(orderTime -> heads.add(new Head(range.source(), 7, orderTime, NOW)));
      }
      asked.add(limits);
      return new Seen(heads, new Position(1, end, false), false);
    }
  }
}
