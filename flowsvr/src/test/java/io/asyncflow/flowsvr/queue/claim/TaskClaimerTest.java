package io.asyncflow.flowsvr.queue.claim;

import static java.util.Collections.nCopies;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.queue.claim.ClaimLimits.Allowance;
import io.asyncflow.flowsvr.queue.claim.ClaimTransaction.Assignment;
import io.asyncflow.flowsvr.queue.claim.FairShare.Claimant;
import io.asyncflow.flowsvr.queue.claim.TaskClaimer.ClaimRequest;
import io.asyncflow.flowsvr.queue.claim.TaskClaimer.ClaimResult;
import io.asyncflow.flowsvr.queue.due.DueReader;
import io.asyncflow.flowsvr.queue.due.DueReader.Look;
import io.asyncflow.flowsvr.queue.due.DueReader.LookRequest;
import io.asyncflow.flowsvr.queue.due.DueReader.Reading;
import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.index.Range;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.lane.LaneHeadStore.LaneHeads;
import io.asyncflow.flowsvr.task.pause.NothingPaused;
import io.asyncflow.flowsvr.task.pause.Paused;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskRows;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How many of each source a claim wants. */
class TaskClaimerTest {

  private static final long NOW = 1_000;
  private static final TaskType LARK = new TaskType("lark");
  private static final List<Claimant> ONE_FOR_ALL =
      List.of(new Claimant(new Hold(LARK, 100, "w", Duration.ZERO, null, Set.of()), 100));
  private static final Source OLD = new Source(new TaskTable(LARK, 1), "first");
  private static final Source NEW = new Source(new TaskTable(LARK, 2), "first");

  private final DueReader looks = mock();

  @Test
  void dueTasksOfAllSourcesAreMergedInTheirOrder() {
    List<Head> heads =
        List.of(head(OLD, 1, 10), head(OLD, 2, 40), head(NEW, 3, 20), head(NEW, 4, 30));
    assertThat(TaskClaimer.plan(heads, ONE_FOR_ALL, 3)).isEqualTo(Map.of(OLD, 1, NEW, 2));
    assertThat(TaskClaimer.plan(heads, ONE_FOR_ALL, 10)).isEqualTo(Map.of(OLD, 2, NEW, 2));
  }

  @Test
  void tiesAreOrderedByNumber() {
    assertThat(TaskClaimer.plan(List.of(head(NEW, 7, 10), head(OLD, 6, 10)), ONE_FOR_ALL, 1))
        .isEqualTo(Map.of(OLD, 1));
  }

  @Test
  void whatIsNotDueIsNotPlanned() {
    List<Head> heads = List.of(head(OLD, 1, NOW), head(OLD, 2, NOW + 1), head(NEW, 3, NOW + 1_000));
    assertThat(TaskClaimer.plan(heads, ONE_FOR_ALL, 10)).isEqualTo(Map.of(OLD, 1));
    assertThat(TaskClaimer.plan(List.of(), ONE_FOR_ALL, 10)).isEmpty();
  }

  @Test
  void whatIsLeftToOthersIsForAHoldWhenItHasBeenDueLongEnough() {
    Preference preference = new Preference(Set.of("other"), Duration.ofMillis(300));
    Hold hold = new Hold(LARK, 100, "w", Duration.ZERO, null, Set.of(), preference, "", 0, null);
    List<Claimant> choosy = List.of(new Claimant(hold, 100));
    List<Head> heads = List.of(head(OLD, 1, NOW - 100), head(NEW, 2, NOW - 250));
    assertThat(TaskClaimer.plan(heads, choosy, 10)).isEmpty();
    assertThat(TaskClaimer.nextForOthersInMs(heads, choosy)).hasValue(50);
    assertThat(TaskClaimer.nextForOthersInMs(heads, ONE_FOR_ALL)).isEmpty();
    assertThat(TaskClaimer.nextForOthersInMs(List.of(head(OLD, 1, NOW + 1)), choosy)).isEmpty();
    assertThat(TaskClaimer.nextForOthersInMs(heads, List.of(new Claimant(hold, 0)))).isEmpty();
  }

  @Test
  void holdThatIsAnsweredInAnyCaseAndTakesNothingOfTheBusyStageMakesTheClaimLook() {
    TaskRow row = TaskRows.aRow().build();
    ClaimTransaction joint = mock();
    when(joint.take(any(), anyList(), any(), any()))
        .thenReturn(
            new Assignment(
                List.of(List.of(row), List.of()),
                Map.of(new Range(OLD, 0), 1),
                0,
                false,
                Allowance.UNLIMITED));
    TaskClaimer claimer = claimerOf(joint);
    Hold busy = new Hold(LARK, 1, "w", Duration.ZERO, null, Set.of("first"));
    Hold quiet = new Hold(LARK, 1, "w", Duration.ZERO, null, Set.of("quiet"));
    Hold waits = new Hold(LARK, 1, "w", Duration.ofSeconds(9), null, Set.of("quiet"));

    ClaimResult<TaskRow> seen =
        claim(
            claimer,
            List.of(new ClaimRequest(busy, false, true), new ClaimRequest(quiet, false, true)));
    assertThat(seen.rows()).containsExactly(List.of(row), List.of());
    assertThat(seen.complete().get(1)).isTrue();

    ClaimResult<TaskRow> assignment =
        claim(
            claimer,
            List.of(new ClaimRequest(busy, false, true), new ClaimRequest(waits, false, true)));
    assertThat(assignment.rows()).containsExactly(List.of(row), List.of());
    assertThat(assignment.complete().get(1)).as("nobody has looked").isFalse();
  }

  @Test
  void claimThatWasCutShortIsSureOfThoseForWhomNothingWasDue() {
    ClaimTransaction joint = mock();
    when(joint.take(any(), anyList(), any(), any()))
        .thenReturn(
            new Assignment(
                List.of(List.of(TaskRows.aRow().build()), List.of(), List.of()),
                Map.of(new Range(OLD, 0), 2),
                0, // and somebody has locked one of them
                false,
                Allowance.UNLIMITED));
    Hold quiet = new Hold(LARK, 1, "w", Duration.ZERO, null, Set.of("quiet"));
    assertThat(
            claim(
                    claimerOf(joint),
                    List.of(asks("a"), asks("b"), new ClaimRequest(quiet, false, true)))
                .complete()
                .subList(1, 3))
        .containsExactly(false, true);
  }

  @Test
  void ofASourceThatWasSeenInPartAsManyArePlannedAsThereIsRoomFor() {
    Source other = new Source(new TaskTable(LARK, 2), "other");
    List<Head> heads = List.of(head(OLD, 1, 10), head(NEW, 2, 20), head(other, 3, 30));
    Hold first = new Hold(LARK, 6, "w", Duration.ZERO, null, Set.of("first"));
    Hold both = new Hold(LARK, 3, "w", Duration.ZERO, null, Set.of("first", "other"));

    assertThat(planned(heads, Set.of(NEW, other), 100, first, both))
        .as("half of what is left each, but no more than somebody takes")
        .isEqualTo(Map.of(new Range(OLD, 10), 1, new Range(NEW, 20), 4, new Range(other, 30), 3));
    assertThat(planned(heads, Set.of(NEW), 4, first, both))
        .isEqualTo(Map.of(new Range(OLD, 10), 1, new Range(NEW, 20), 2, new Range(other, 30), 1));
    assertThat(planned(heads, Set.of(), 100, first, both))
        .isEqualTo(Map.of(new Range(OLD, 10), 1, new Range(NEW, 20), 1, new Range(other, 30), 1));
  }

  private Map<Range, Integer> planned(
      List<Head> heads, Set<Source> seenInPart, int most, Hold... line) {
    Map<Range, Integer> planned = new HashMap<>();
    ClaimTransaction joint = mock();
    when(joint.take(any(), anyList(), any(), any()))
        .thenAnswer(
            call -> {
              IntFunction<Map<Range, Integer>> plan = call.getArgument(2);
              planned.putAll(plan.apply(most));
              return new Assignment(
                  nCopies(line.length, List.of(TaskRows.aRow().build())),
                  planned,
                  0,
                  false,
                  Allowance.UNLIMITED);
            });
    TaskClaimer claimer = claimerOf(joint);
    doReturn(aLook(heads, seenInPart)).when(looks).look(any());
    claim(claimer, Stream.of(line).map(hold -> new ClaimRequest(hold, false, true)).toList());
    return planned;
  }

  @Test
  void claimThatMayHaveLeftLargeTasksIsNotSureThatNoneAreDue() {
    ClaimTransaction joint = mock();
    when(joint.take(any(), anyList(), any(), any()))
        .thenReturn(
            new Assignment(
                List.of(List.of(TaskRows.aRow().build()), List.of()),
                Map.of(new Range(OLD, 0), 1),
                0,
                true,
                Allowance.UNLIMITED));
    TaskClaimer claimer = claimerOf(joint);
    assertThat(claim(claimer, List.of(asks("a"), asks("b"))).complete().get(1)).isFalse();
  }

  @Test
  void whatTheLimitsDoNotLetATypeTakeNowIsLookedAtAgain() {
    ClaimTransaction joint = mock();
    when(joint.take(any(), anyList(), any(), any()))
        .thenReturn(
            new Assignment(
                List.of(List.of()), Map.of(), 0, false, new Allowance(0, OptionalLong.of(7), 0)));
    TaskClaimer claimer = claimerOf(joint);
    Hold ofAnyStage = new Hold(LARK, 1, "w", Duration.ZERO, null, Set.of());

    ClaimResult<TaskRow> claim = claim(claimer, List.of(new ClaimRequest(ofAnyStage, false, true)));

    assertThat(claim.complete()).containsExactly(true);
    assertThat(claim.againInMs()).isEqualTo(7);
    verify(looks).repeatLook(any());
  }

  /** Of a busy type: claims look before they take only where they must; and see one due task. */
  private TaskClaimer claimerOf(ClaimTransaction joint) {
    TaskTypes types = mock();
    TaskTypeConfig config = mock();
    when(types.require(LARK)).thenReturn(config);
    when(types.known(LARK)).thenReturn(Optional.of(config));
    Look look = aLook(List.of(head(OLD, 1, 10)), Set.of());
    Look guess =
        new Look(
            Optional.of(new Range(OLD, 0)),
            Map.of(),
            Set.of(),
            LaneHeads.NONE,
            null,
            false,
            false,
            0,
            0);
    when(looks.look(any()))
        .thenAnswer(
            call -> {
              LookRequest request = call.getArgument(0);
              return request.mayGuess()
                      && request.required().stream().allMatch(stages -> stages.contains("first"))
                  ? guess
                  : look;
            });
    return new TaskClaimer(looks, joint, mock(), mock(), types, NothingPaused.inForce());
  }

  private static Look aLook(List<Head> heads, Set<Source> seenInPart) {
    Map<Source, Reading> readings = new LinkedHashMap<>();
    heads.stream()
        .collect(groupingBy(Head::source, LinkedHashMap::new, toList()))
        .forEach(
            (source, ofSource) ->
                readings.put(
                    source,
                    new Reading(Range.whole(source), ofSource, seenInPart.contains(source))));
    return new Look(Optional.empty(), readings, Set.of(), LaneHeads.NONE, null, false, false, 0, 0);
  }

  private static ClaimResult<TaskRow> claim(TaskClaimer claimer, List<ClaimRequest> line) {
    return claimer.claim(LARK, line, Paused.NOTHING);
  }

  private static ClaimRequest asks(String worker) {
    Hold hold = new Hold(LARK, 1, worker, Duration.ofSeconds(9), "h", Set.of("first"));
    return new ClaimRequest(hold, false, true);
  }

  private static Head head(Source source, long number, long orderTime) {
    return new Head(source, number, orderTime, NOW);
  }
}
