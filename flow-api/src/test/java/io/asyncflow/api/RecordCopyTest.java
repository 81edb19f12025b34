package io.asyncflow.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.api.key.NewKey;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.FirePreviewRequest;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Overlap;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RecordCopyTest {

  /** A value for each type of a parameter. */
  private static final Map<Class<?>, Object> VALUES =
      Map.ofEntries(
          Map.entry(String.class, "x"),
          Map.entry(int.class, 7),
          Map.entry(Integer.class, 7),
          Map.entry(long.class, 7L),
          Map.entry(Long.class, 7L),
          Map.entry(boolean.class, true),
          Map.entry(Boolean.class, true),
          Map.entry(String[].class, new String[] {"x"}),
          Map.entry(List.class, List.of()),
          Map.entry(Collection.class, List.of()),
          Map.entry(Duration.class, Duration.ofSeconds(7)),
          Map.entry(Instant.class, Instant.ofEpochSecond(7)),
          Map.entry(OnDuplicate.class, OnDuplicate.KEEP),
          Map.entry(FailurePolicy.class, FailurePolicy.FINISH),
          Map.entry(Overlap.class, Overlap.SKIP),
          Map.entry(CatchUp.class, CatchUp.ALL),
          Map.entry(EventKind.class, EventKind.HELD),
          Map.entry(Team.class, Team.of(1, "one", "")),
          Map.entry(NewTask.class, NewTask.of("lark", "one", "me", "")),
          Map.entry(NewJob.class, NewJob.of("lark", "me", "")));

  static Stream<Record> copied() {
    return Stream.of(
        NewTask.of("lark", "one", "me", ""),
        NewJob.of("lark", "me", ""),
        Report.of("1_lark_task_1", "w", 1, Outcome.SUCCESS),
        TaskTypeSettings.named("lark"),
        NewKey.of("ada", "READER"),
        NewSchedule.every("hourly", Duration.ofHours(1)),
        FirePreviewRequest.ofInterval(Duration.ofHours(1)),
        Event.ofSchedule("1", "ACTIVE", null));
  }

  @ParameterizedTest
  @MethodSource("copied")
  void eachMethodThatCopiesARecordNamesComponentsOfIt(Record record) throws Exception {
    for (Method method : record.getClass().getDeclaredMethods()) {
      if (method.getReturnType() == record.getClass()
          && Modifier.isPublic(method.getModifiers())
          && !Modifier.isStatic(method.getModifiers())) {
        Object[] arguments = Arrays.stream(method.getParameterTypes()).map(VALUES::get).toArray();
        assertThat(method.invoke(record, arguments)).as(method.getName()).isNotNull();
      }
    }
  }

  @Test
  void onlyTheComponentIsAnotherOne() {
    TaskTypeSettings before = TaskTypeSettings.named("lark").withEvents(2);
    TaskTypeSettings after = RecordCopy.with(before, "paused", 1);
    assertThat(after.paused()).isEqualTo(1);
    assertThat(RecordCopy.with(after, "paused", null)).isEqualTo(before);
  }

  @Test
  void refusesWhatTheRecordRefuses() {
    Team team = Team.of(1, "one", "");
    assertThatExceptionOfType(NullPointerException.class)
        .isThrownBy(() -> RecordCopy.with(team, "workers", null))
        .withMessage("workers");
    assertThatIllegalArgumentException().isThrownBy(() -> RecordCopy.with(team, "worker", 1));
  }
}
