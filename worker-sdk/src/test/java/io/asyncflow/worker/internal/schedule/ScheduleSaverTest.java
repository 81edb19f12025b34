package io.asyncflow.worker.internal.schedule;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.asyncflow.api.Call;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Transport;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.SaveOutcome;
import io.asyncflow.api.schedule.SavedSchedule;
import io.asyncflow.worker.internal.loop.Backoff;
import io.asyncflow.worker.internal.loop.Jitter;
import io.asyncflow.worker.internal.loop.Link;
import io.asyncflow.worker.internal.loop.LoggedLines;
import io.asyncflow.worker.internal.loop.Loop;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ScheduleSaverTest {

  private static final NewSchedule A = schedule("a");
  private static final NewSchedule B = schedule("b").revision(3);
  private static final NewSchedule C = schedule("c");

  /** The names in each call, in the order of the calls. */
  private final List<List<String>> calls = new ArrayList<>();

  private final Map<String, SaveOutcome> outcomes = new HashMap<>();
  private final Map<String, ErrorCode> refusals = new HashMap<>();
  private boolean away;

  private static NewSchedule schedule(String name) {
    return NewSchedule.every(name, ofSeconds(30)).creating(NewTask.of("lark", "one", "me", "{}"));
  }

  @Test
  void allAreSavedWithOneCallAndTheChangesAreLogged() {
    outcomes.putAll(Map.of("b", SaveOutcome.KEPT, "c", SaveOutcome.UNCHANGED));
    try (LoggedLines log = new LoggedLines(ScheduleSaver.class, Level.INFO)) {
      assertThat(saver(A, B, C).runOnce()).isEqualTo(Loop.END);
      assertThat(log.lines())
          .containsExactly(
              "schedule a created; its next fire is at 2026-11-22T23:00Z",
              "schedule b stays as it is, because flowsvr has a higher revision of it than 3; its"
                  + " next fire is at 2026-11-22T23:00Z");
    }
    assertThat(calls).containsExactly(List.of("a", "b", "c"));
  }

  @Test
  void aSaverWithoutSchedulesAsksNothing() {
    assertThat(saver().runOnce()).isEqualTo(Loop.END);
    assertThat(calls).isEmpty();
  }

  @Test
  void anOutageIsLoggedOnceAndTheSameCallIsRepeated() {
    ScheduleSaver saver = saver(A, B);
    away = true;
    try (LoggedLines log = new LoggedLines(ScheduleSaver.class)) {
      assertThat(saver.runOnce()).isEqualTo(ofMillis(100));
      assertThat(saver.runOnce()).isEqualTo(ofMillis(200));
      assertThat(log.lines())
          .containsExactly(
              "schedules of this worker: away; 2 schedules are not saved yet, and it is tried"
                  + " again");
    }
    away = false;
    assertThat(saver.runOnce()).isEqualTo(Loop.END);
    assertThat(calls).containsExactly(List.of("a", "b"), List.of("a", "b"), List.of("a", "b"));
  }

  @Test
  void aRefusedScheduleIsAnErrorOnceAndTheOthersAreSaved() {
    refusals.put("b", ErrorCode.INVALID_INPUT);
    try (LoggedLines log = new LoggedLines(ScheduleSaver.class)) {
      assertThat(saver(A, B, C).runOnce()).isEqualTo(Loop.END);
      assertThat(log.lines())
          .containsExactly(
              "schedule b is not saved, because flowsvr refuses it: INVALID_INPUT; the worker runs"
                  + " without it: correct its definition and restart the worker");
    }
    assertThat(calls)
        .containsExactly(List.of("a", "b", "c"), List.of("a"), List.of("b"), List.of("c"));
  }

  @Test
  void aScheduleWaitsForItsTypeAndTheOthersDoNot() {
    refusals.put("a", ErrorCode.NO_SUCH_TASK_TYPE);
    ScheduleSaver saver = saver(A, B);
    assertThat(saver.runOnce()).isEqualTo(ofMillis(100));
    assertThat(saver.runOnce()).isEqualTo(ofMillis(200));
    refusals.clear();
    assertThat(saver.runOnce()).isEqualTo(Loop.END);
    assertThat(calls)
        .containsExactly(List.of("a", "b"), List.of("a"), List.of("b"), List.of("a"), List.of("a"));
  }

  /** An operator may permit it while the worker runs. */
  @Test
  void aKeyThatMayNotSaveIsLoggedOnceAndTriedAgain() {
    refusals.put("a", ErrorCode.NOT_PERMITTED);
    ScheduleSaver saver = saver(A, B);
    try (LoggedLines log = new LoggedLines(ScheduleSaver.class)) {
      saver.runOnce();
      saver.runOnce();
      assertThat(log.lines()).hasSize(1);
    }
    refusals.clear();
    assertThat(saver.runOnce()).isEqualTo(Loop.END);
  }

  @Test
  void anOutageBetweenTwoSavesRepeatsNoneThatWasDone() {
    refusals.put("a", ErrorCode.INVALID_INPUT);
    refusals.put("b", ErrorCode.UNAVAILABLE);
    ScheduleSaver saver = saver(A, B, C);
    assertThat(saver.runOnce()).isEqualTo(ofMillis(100));
    refusals.clear();
    calls.clear();
    assertThat(saver.runOnce()).isEqualTo(Loop.END);
    assertThat(calls).containsExactly(List.of("b"), List.of("c"));
  }

  private ScheduleSaver saver(NewSchedule... schedules) {
    return new ScheduleSaver(
        new Server(), List.of(schedules), new Backoff(Jitter.NONE), new Link());
  }

  /** Refuses as the test has said. */
  private final class Server extends ForwardingFlowClient {

    private static final URI NOBODY = URI.create("http://127.0.0.1:1");

    Server() {
      super(new HttpFlowClient(NOBODY, null));
    }

    @Override
    public Transport transport() {
      return new Transport() {
        @Override
        @SuppressWarnings("unchecked")
        public <T> T send(Call<T> call) {
          Object all = call.fields().get("scheduleDataList");
          return (T)
              (all == null
                  ? saveAll(List.of((NewSchedule) call.fields().get("scheduleData"))).get(0)
                  : saveAll((List<NewSchedule>) all));
        }
      };
    }

    private List<SavedSchedule> saveAll(List<NewSchedule> all) {
      calls.add(all.stream().map(NewSchedule::name).toList());
      return answer(all);
    }
  }

  private List<SavedSchedule> answer(List<NewSchedule> all) {
    if (away) {
      throw new FlowUnreachableException("away", null);
    }
    for (NewSchedule schedule : all) {
      ErrorCode refusal = refusals.get(schedule.name());
      if (refusal != null) {
        throw new FlowException(refusal, refusal.name(), List.of(), null);
      }
    }
    return all.stream()
        .map(schedule -> outcomes.getOrDefault(schedule.name(), SaveOutcome.CREATED))
        .map(outcome -> new SavedSchedule("7", outcome, 1_795_388_400_000L))
        .toList();
  }
}
