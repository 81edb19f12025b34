package io.asyncflow.flowsvr.queue.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.queue.claim.ParkedHolds.Kept;
import io.asyncflow.flowsvr.queue.due.DueReader;
import io.asyncflow.flowsvr.task.pause.Paused;
import io.asyncflow.flowsvr.task.pause.PausesInForce;
import io.asyncflow.flowsvr.task.row.NewRow;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;

/** Which new tasks are offered, and to which holds. */
class HandoverTest {

  private static final TaskType LARK = new TaskType("lark");
  private static final TaskType OWL = new TaskType("owl");

  private final TaskTypeConfig type = mock();
  private final PausesInForce pauses = mock();
  private final ObjectProvider<ParkedHolds> holds = mock();
  private final DueReader due = mock();
  private final List<Hold> parked = new ArrayList<>();
  private final Handover handover = new Handover(holds, due, mock(), pauses, mock());
  private int freed;

  @BeforeEach
  void plainTypeAndAParkedHold() {
    when(type.type()).thenReturn(LARK);
    when(type.scheduleLimit()).thenReturn(2);
    when(pauses.lastKnown()).thenReturn(Paused.NOTHING);
    when(due.mayBeQuiet(LARK, Set.of("speak"))).thenReturn(true);
    when(holds.getObject()).thenReturn((config, wanted, most) -> new Wanted(wanted, most));
    parked.add(hold("h", 0, Set.of("speak", "sing"), Preference.NONE));
  }

  private static Hold hold(String id, int limit, Set<String> stages, Preference preference) {
    return new Hold(LARK, limit, "w", Duration.ofSeconds(5), id, stages, preference, "", 0, null);
  }

  /** Those that are parked and wanted. */
  private final class Wanted implements Kept {

    private final List<Hold> wanted;

    Wanted(Predicate<Hold> isWanted, int most) {
      wanted = parked.stream().filter(isWanted).limit(most).toList();
    }

    @Override
    public List<Hold> holds() {
      return wanted;
    }

    @Override
    public void answer(List<List<TaskRow>> shares) {}

    @Override
    public void free() {
      freed++;
    }
  }

  private static TaskDraft draft(Long delayMs, Long runAt, FireId fire) {
    return new TaskDraft(
        "u", LARK, "speak", null, "{}", 3, delayMs, runAt, null, null, null, null, null, fire,
        Set.of(), null);
  }

  private static NewRow row(int number, TaskDraft task, JobPlace place, String lane) {
    return new NewRow(new TaskId(number, new TaskTable(LARK, 1)), task, place, lane);
  }

  private static NewRow plain(int number) {
    return row(number, draft(null, null, null), null, Lane.OPEN);
  }

  private List<String> offered(NewRow... rows) {
    return handover.offer(type, List.of(rows)).holds().stream().map(Hold::holdId).toList();
  }

  @Test
  void taskThatIsDueAtOnceIsOffered() {
    assertThat(offered(plain(1))).containsExactly("h");
    assertThat(offered(row(1, draft(0L, null, null), null, Lane.OPEN))).containsExactly("h");
  }

  @Test
  void taskThatIsNotForAnyWorkerAtOnceIsNotOffered() {
    assertThat(offered(row(1, draft(4_000L, null, null), null, Lane.OPEN))).isEmpty();
    assertThat(offered(row(1, draft(null, 1L, null), null, Lane.OPEN))).isEmpty();
    assertThat(offered(row(1, draft(null, null, new FireId(1, 2)), null, Lane.OPEN))).isEmpty();
    assertThat(offered(row(1, draft(null, null, null), new JobPlace(7, 0, null), Lane.OPEN)))
        .isEmpty();
    assertThat(offered(row(1, draft(null, null, null), null, "lane"))).isEmpty();
  }

  @Test
  void typeWhoseClaimsDoMoreIsLeftToThem() {
    assertNotOffered(config -> when(config.maxExecuting()).thenReturn(9));
    assertNotOffered(config -> when(config.rateLimit()).thenReturn(9));
    assertNotOffered(config -> when(config.userRateLimit()).thenReturn(9));
    assertNotOffered(config -> when(config.paused()).thenReturn(true));
    assertNotOffered(config -> when(config.keeps(EventKind.HELD)).thenReturn(true));
    assertNotOffered(config -> when(config.minWorkerVersion()).thenReturn(1));
  }

  private void assertNotOffered(Consumer<TaskTypeConfig> with) {
    TaskTypeConfig config = mock();
    when(config.type()).thenReturn(LARK);
    when(config.scheduleLimit()).thenReturn(2);
    with.accept(config);
    try (Handover.Offer offer = handover.offer(config, List.of(plain(1)))) {
      assertThat(offer.isAny()).isFalse();
    }
  }

  @Test
  void whatIsPausedIsLeftToClaimsAndNothingElse() {
    assertThat(offeredWhile(Set.of(LARK), Map.of(), Set.of())).isEmpty();
    assertThat(offeredWhile(Set.of(), Map.of(LARK, Set.of("x")), Set.of())).isEmpty();
    assertThat(offeredWhile(Set.of(), Map.of(), Set.of("w"))).isEmpty();
    assertThat(offeredWhile(Set.of(OWL), Map.of(OWL, Set.of("speak")), Set.of("v")))
        .containsExactly("h");
  }

  private List<String> offeredWhile(
      Set<TaskType> types, Map<TaskType, Set<String>> stages, Set<String> workers) {
    when(pauses.lastKnown()).thenReturn(new Paused(types, stages, workers, true));
    return offered(plain(1));
  }

  @Test
  void typeThatMayHaveDueTasksOrLanesIsLeftToClaims() {
    when(due.mayBeQuiet(LARK, Set.of("speak"))).thenReturn(false);
    assertThat(offered(plain(1))).isEmpty();
  }

  @Test
  void holdIsFreedIfThePausesCannotBeRead() {
    when(pauses.now()).thenThrow(new IllegalStateException("no database"));
    assertThatThrownBy(() -> offered(plain(1))).hasMessage("no database");
    assertThat(freed).isEqualTo(1);
  }

  @Test
  void holdsThatWouldNotTakeTheTaskAtOnceAreNotKept() {
    parked.clear();
    Preference sing = new Preference(Set.of("sing"), Duration.ofHours(1));
    parked.add(hold("other", 0, Set.of("sing"), Preference.NONE));
    parked.add(hold("choosy", 0, Set.of("sing", "speak"), sing));
    parked.add(hold("a", 0, Set.of("speak"), Preference.NONE));
    parked.add(hold("b", 0, Set.of("speak"), Preference.NONE));
    assertThat(offered(plain(1))).containsExactly("a");
    assertThat(offered(plain(1), plain(2), plain(3))).containsExactly("a", "b");
  }
}
