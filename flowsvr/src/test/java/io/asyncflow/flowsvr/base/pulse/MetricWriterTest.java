package io.asyncflow.flowsvr.base.pulse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.base.pulse.MetricStore.Bucket;
import io.asyncflow.flowsvr.base.pulse.TaskPulse.Place;
import io.asyncflow.flowsvr.base.pulse.count.Count;
import io.asyncflow.flowsvr.base.pulse.count.Numbers;
import io.asyncflow.flowsvr.base.pulse.failure.FailureNotes;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.rules.TaskType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.QueryTimeoutException;

/** What is written when; the database is a map. */
class MetricWriterTest {

  private static final TaskType LARK = new TaskType("lark");
  private static final long MINUTE = 29_000_000;

  private final TaskPulse pulse =
      new TaskPulse(mock(FailureNotes.class), new PulseMeters(new SimpleMeterRegistry()));
  private final MetricStore store = mock();
  private final Map<Bucket, Long> created = new HashMap<>();
  private long nanos = 1;
  private boolean isDown;
  private int writes;

  private final MetricWriter writer =
      new MetricWriter(
          pulse,
          store,
          new Node() {
            @Override
            public long nanoTime() {
              return nanos;
            }
          });

  @BeforeEach
  void aDatabase() {
    when(store.now()).thenReturn(TimeUnit.MINUTES.toMillis(MINUTE));
    doAnswer(
            call -> {
              Map<Bucket, Numbers> rows = call.getArgument(0);
              rows.forEach((row, numbers) -> created.put(row, numbers.count(Count.CREATED)));
              writes++;
              if (isDown) {
                throw new QueryTimeoutException("the outcome is unknown");
              }
              return null;
            })
        .when(store)
        .write(any());
  }

  @Test
  void idleServerSendsNothing() {
    writer.runOnce();
    verifyNoInteractions(store);

    pulse.created(LARK, "first", 1);
    writer.runOnce();
    assertThat(writes).isOne();
    for (int i = 0; i < 100; i++) {
      pass(Duration.ofMinutes(1));
      writer.runOnce();
    }
    assertThat(writes).isOne();
  }

  @Test
  void rowHasAllOfItsMinuteAfterEachWrite() {
    pulse.created(LARK, "first", 2);
    writer.runOnce();
    pass(Duration.ofSeconds(10));
    pulse.created(LARK, "first", 3);
    pulse.created(LARK, "second", 1);
    writer.runOnce();

    assertThat(created)
        .containsOnly(
            Map.entry(at("first", 0), 5L),
            Map.entry(at("second", 0), 1L),
            Map.entry(at("", 0), 6L));
  }

  @Test
  void nextMinuteHasARowOfItsOwn() {
    pulse.created(LARK, "first", 2);
    writer.runOnce();
    pass(Duration.ofMinutes(1));
    pulse.created(LARK, "first", 3);
    writer.runOnce();

    assertThat(created).containsEntry(at("first", 0), 2L).containsEntry(at("first", 1), 3L);
  }

  @Test
  void writeThatMayHaveFailedIsRepeatedWithTheSameValues() {
    isDown = true;
    pulse.created(LARK, "first", 2);
    assertThatThrownBy(writer::runOnce).isInstanceOf(QueryTimeoutException.class);
    pass(Duration.ofMinutes(1));
    isDown = false;
    pulse.created(LARK, "first", 3);
    writer.runOnce();

    assertThat(created).containsEntry(at("first", 0), 2L).containsEntry(at("first", 1), 3L);
  }

  @Test
  void whatWasCountedWhileTheDatabaseToldNoTimeIsNotLost() {
    when(store.now()).thenThrow(new QueryTimeoutException("no answer"));
    pulse.created(LARK, "first", 2);
    assertThatThrownBy(writer::runOnce).isInstanceOf(QueryTimeoutException.class);

    doReturn(TimeUnit.MINUTES.toMillis(MINUTE)).when(store).now();
    writer.runOnce();
    assertThat(created).containsEntry(at("first", 0), 2L);
  }

  @Test
  void databaseWhoseClockStepsBackLosesNoCounts() {
    pulse.created(LARK, "first", 2);
    writer.runOnce();
    pass(Duration.ofMinutes(11));
    pulse.created(LARK, "first", 3);
    writer.runOnce();
    pass(Duration.ofMinutes(11));
    when(store.now()).thenReturn(TimeUnit.MINUTES.toMillis(MINUTE)); // it steps back
    pulse.created(LARK, "first", 1);
    writer.runOnce();

    assertThat(created).containsEntry(at("first", 0), 2L).containsEntry(at("first", 11), 4L);
  }

  @Test
  void stagesBeyondThoseThatFitAreCountedTogether() {
    for (int i = 0; i < 100; i++) {
      pulse.created(LARK, "stage" + i, 1);
    }
    writer.runOnce();
    assertThat(created).hasSize(34).containsEntry(at("", 0), 100L);
    assertThat(created).containsEntry(at(Numbers.OTHER_STAGES, 0), 68L);
  }

  @Test
  void stageInWhichNothingHappensMakesRoom() {
    for (int i = 0; i < 32; i++) {
      pulse.created(LARK, "old" + i, 1);
    }
    passAMinute();
    created.clear();
    pulse.created(LARK, "new", 1);
    writer.runOnce();
    assertThat(created).containsEntry(at("new", 1), 1L).containsEntry(at("", 1), 1L);
  }

  @Test
  void typeInWhichNothingHappensMakesRoom() {
    for (int i = 0; i < 200; i++) {
      pulse.created(new TaskType("old" + i), "first", 1);
    }
    passAMinute();
    pulse.created(LARK, "first", 1);
    writer.runOnce();
    assertThat(created).containsEntry(at("first", 1), 1L);
  }

  private void passAMinute() {
    for (int i = 0; i < 8; i++) {
      writer.runOnce();
      pass(Duration.ofSeconds(10));
    }
  }

  @Test
  void threadThatCountsWhileItsStageIsForgottenIsHeard() {
    pulse.created(LARK, "first", 1);
    StageCounters found = pulse.of(LARK, "first");
    while (pulse.of(LARK, "first") == found) {
      writer.runOnce();
    }
    found.count(Count.CREATED, 7);
    writer.runOnce();
    assertThat(created).containsEntry(at("first", 0), 8L);
  }

  @Test
  void typesBeyondThoseThatFitAreNotCounted() {
    for (int i = 0; i < 300; i++) {
      pulse.created(new TaskType("type" + i), "first", 1);
    }
    writer.runOnce();
    assertThat(created).hasSize(2 * 200);
  }

  @Test
  void noCountOfAnyThreadIsLost() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    for (int i = 0; i < 4; i++) {
      threads.execute(
          () -> {
            for (int n = 0; n < 50_000; n++) {
              pulse.created(LARK, "first", 1);
            }
          });
    }
    threads.shutdown();
    while (!threads.awaitTermination(1, TimeUnit.MILLISECONDS)) {
      writer.runOnce();
    }
    writer.runOnce();
    assertThat(created).containsEntry(at("first", 0), 200_000L);
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
    when(store.now()).thenReturn(TimeUnit.MINUTES.toMillis(MINUTE) + nanos / 1_000_000);
  }

  private static Bucket at(String stage, long minutes) {
    return new Bucket(new Place("lark", stage), MINUTE + minutes);
  }
}
