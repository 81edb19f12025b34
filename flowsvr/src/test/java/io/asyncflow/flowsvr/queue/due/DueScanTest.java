package io.asyncflow.flowsvr.queue.due;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.redis.RedisLink;
import io.asyncflow.flowsvr.queue.due.DueStore.Gap;
import io.asyncflow.flowsvr.queue.due.DueStore.Position;
import io.asyncflow.flowsvr.queue.due.DueStore.Scan;
import io.asyncflow.flowsvr.queue.due.DueStore.Sources;
import io.asyncflow.flowsvr.queue.due.HoldDemand.Wanted;
import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.lane.LaneHeadStore;
import io.asyncflow.flowsvr.task.table.Freshness;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.QueryTimeoutException;

/** What a round reads, and when the next one follows. */
class DueScanTest {

  private static final TaskType LARK = new TaskType("lark");
  private static final TaskTable TABLE = new TaskTable(LARK, 1);
  private static final Source FIRST = new Source(TABLE, "first");
  private static final long NOW = 3_600_000;

  private final DueReader reader = new DueReader(mock(), mock(), mock(), mock());
  private final DueStore store = mock();
  private final TaskFamilies families = mock();
  private final HoldDemand demand = mock();
  private final RedisLink redis = mock();
  private final Node node = mock();
  private final LaneHeadStore laneHeads = mock();
  private final DueScan scan = new DueScan(reader, store, laneHeads, families, demand, redis, node);

  @BeforeEach
  void aHoldThatNamesAStage() {
    reader.mapOf(LARK);
    when(families.find(LARK, Freshness.KNOWN))
        .thenReturn(Optional.of(new TaskFamily(LARK, List.of(TABLE), List.of(TABLE), 0, false)));
    when(demand.wanted()).thenReturn(Map.of(LARK, new Wanted(Set.of("first"), false, Set.of())));
  }

  @Test
  void withoutRedisARoundFollowsSoonAndSoonerAfterOneThatHasFoundADueTask() {
    sees(Map.of(), Set.of(), 2);
    scan.runOnce();
    verify(demand, never()).dueIn(any(), anyLong());
    assertThat(scan.pause()).hasMillis(125);

    sees(Map.of(FIRST, new Head(FIRST, 0, NOW - 1, NOW)), Set.of(), 2);
    scan.runOnce();
    verify(demand).dueIn(LARK, 0);
    assertThat(scan.pause()).hasMillis(25);
    at(999);
    assertThat(scan.pause()).hasMillis(25);
    at(1_000);
    assertThat(scan.pause()).hasMillis(125);
  }

  @Test
  void taskThatIsNotDueYetIsToldAndDoesNotHurryTheNextRound() {
    sees(Map.of(FIRST, new Head(FIRST, 0, NOW + 700, NOW)), Set.of(), 2);
    scan.runOnce();
    verify(demand).dueIn(LARK, 700);
    assertThat(scan.pause()).hasMillis(125);
  }

  @Test
  void roundThatTakesLongIsFollowedByALongerPause() {
    when(store.scan(any(), any(), any()))
        .thenAnswer(
            call -> {
              at(60);
              return new Scan(Map.of(), Set.of(), Map.of(), 2);
            });
    scan.runOnce();
    assertThat(scan.pause()).hasMillis(240);
  }

  @Test
  void sourceThatIsSlowDoesNotKeepTheScanFromTheOtherTypes() {
    TaskType slow = new TaskType("slow");
    TaskTable slowTable = new TaskTable(slow, 1);
    reader.mapOf(slow);
    when(families.find(slow, Freshness.KNOWN))
        .thenReturn(
            Optional.of(new TaskFamily(slow, List.of(slowTable), List.of(slowTable), 0, false)));
    Wanted first = new Wanted(Set.of("first"), false, Set.of());
    when(demand.wanted()).thenReturn(Map.of(LARK, first, slow, first));
    List<List<TaskType>> asked = new ArrayList<>();
    when(store.scan(any(), any(), any()))
        .thenAnswer(
            call -> {
              asked.add(call.getArgument(0));
              if (asked.get(asked.size() - 1).contains(slow)) {
                at(100L * asked.size());
                throw new QueryTimeoutException("a hundred thousand deleted entries");
              }
              return new Scan(Map.of(), Set.of(), Map.of(), 2);
            });
    for (int i = 0; i < 5; i++) { // each failure makes the statements smaller
      assertThatThrownBy(scan::runOnce).isInstanceOf(QueryTimeoutException.class);
      if (asked.contains(List.of(slow))) {
        break;
      }
    }
    assertThat(asked).contains(List.of(LARK), List.of(slow));
    assertThat(scan.pause()).as("that of the others").hasMillis(125);

    asked.clear();
    scan.runOnce();
    assertThat(asked).as("the slow one rests").containsExactly(List.of(LARK));
  }

  @Test
  void soleServerScansEveryFourSeconds() {
    sees(Map.of(FIRST, new Head(FIRST, 0, NOW - 1, NOW)), Set.of(), 1);
    scan.runOnce();
    assertThat(scan.pause()).hasSeconds(4);
  }

  @Test
  void serversThatHearOfEachOtherByRedisScanOnceASecondWhileItAnswers() {
    when(redis.isConfigured()).thenReturn(true);
    sees(Map.of(FIRST, new Head(FIRST, 0, NOW - 1, NOW)), Set.of(), 2);
    scan.runOnce();
    assertThat(scan.pause()).hasSeconds(1);
    when(redis.isGivenUp()).thenReturn(true);
    assertThat(scan.pause()).hasMillis(25);
  }

  @Test
  void newStageWakesAHoldThatNamesNone() {
    when(demand.wanted()).thenReturn(Map.of(LARK, new Wanted(Set.of(), true, Set.of())));
    Source before = new Source(TABLE, "");
    WaitingSources waiting = reader.mapOf(LARK).waiting();
    waiting.saw(before, new Sources(List.of(FIRST), null), List.of(TABLE), 0, 0);
    sees(Map.of(), Set.of(TABLE), 2);

    scan.runOnce();

    verify(store)
        .scan(
            List.of(LARK),
            List.of(FIRST),
            List.of(new Gap(TABLE, "", "first"), new Gap(TABLE, "first", null)));
    verify(demand).dueIn(LARK, 0);
    assertThat(waiting.all(List.of(TABLE), 0)).as("have to be read").isEmpty();
  }

  @Test
  void typeThatHasOtherTablesByNowIsReadAnew() {
    when(store.scan(any(), any(), any()))
        .thenReturn(new Scan(Map.of(), Set.of(), Map.of(LARK, new Position(1, 2, false)), 2));
    scan.runOnce();
    verify(families).find(LARK, Freshness.NOW);
    verify(demand).dueIn(eq(LARK), eq(0L));
  }

  @Test
  void dueTaskIsToldEvenIfTheLanesCannotBeRead() {
    when(families.find(LARK, Freshness.KNOWN))
        .thenReturn(Optional.of(new TaskFamily(LARK, List.of(TABLE), List.of(TABLE), 0, true)));
    when(demand.workers(LARK)).thenReturn(Set.of("w"));
    when(laneHeads.heads(any(), any())).thenThrow(new QueryTimeoutException("too many lanes"));
    sees(Map.of(FIRST, new Head(FIRST, 0, NOW - 1, NOW)), Set.of(), 2);
    assertThatThrownBy(scan::runOnce).isInstanceOf(QueryTimeoutException.class);
    verify(demand).dueIn(LARK, 0);
  }

  private void sees(Map<Source, Head> heads, Set<TaskTable> newStages, int servers) {
    when(store.scan(any(), any(), any())).thenReturn(new Scan(heads, newStages, Map.of(), servers));
  }

  private void at(long ms) {
    when(node.nanoTime()).thenReturn(MILLISECONDS.toNanos(ms));
  }
}
