package io.asyncflow.flowsvr.task.type;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.transaction.PlatformTransactionManager;

class TaskTypesTest {

  private static final TaskType LARK = new TaskType("lark");

  private final TaskTypeRows rows = mock(TaskTypeRows.class);
  private final AtomicLong clock = new AtomicLong();
  private final TaskTypes types =
      new TaskTypes(
          rows,
          new RetryingTransactions(mock(PlatformTransactionManager.class)),
          mock(),
          mock(),
          mock(),
          // each look at the clock takes a moment, as it does in life
          clock::incrementAndGet,
          1_000);

  @Test
  void knownTypeIsReadOnceASecondHoweverOftenItIsAskedFor() {
    when(rows.findAll()).thenReturn(rowsNamed("Lark"));

    for (int i = 0; i < 1_000; i++) {
      assertThat(types.require(LARK).spelling()).isEqualTo("Lark");
    }
    verify(rows, times(1)).findAll();

    clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
    for (int i = 0; i < 1_000; i++) {
      types.require(LARK);
    }
    verify(rows, times(2)).findAll();
  }

  @Test
  void nothingIsReadWhileNobodyAsks() {
    clock.addAndGet(TimeUnit.MINUTES.toNanos(5));
    verify(rows, times(0)).findAll();
  }

  @Test
  void unknownTypeIsReadAnewAtOnce() {
    when(rows.findAll()).thenReturn(rowsNamed("other"), rowsNamed("other", "lark"));

    types.require(new TaskType("other"));

    assertThat(types.require(LARK)).isNotNull();
  }

  @Test
  void thousandForgedTypesCostOneStatement() {
    when(rows.findAll()).thenReturn(rowsNamed("lark"));

    for (int i = 0; i < 1_000; i++) {
      assertThat(types.find(new TaskType("forged" + i))).isEmpty();
    }

    verify(rows, times(1)).findAll();
  }

  @Test
  void floodOfUnknownNamesWaitsInLine() throws Exception {
    AtomicInteger reads = new AtomicInteger();
    when(rows.findAll())
        .thenAnswer(
            call -> {
              reads.incrementAndGet();
              return rowsNamed("lark");
            });
    TaskTypes real =
        new TaskTypes(
            rows,
            new RetryingTransactions(mock(PlatformTransactionManager.class)),
            mock(),
            mock(),
            mock(),
            System::nanoTime,
            1_000);
    int callers = 200;
    CountDownLatch over = new CountDownLatch(callers);
    long begin = System.nanoTime();
    for (int i = 0; i < callers; i++) {
      TaskType unknown = new TaskType("unknown" + i);
      new Thread(
              () -> {
                assertThatThrownBy(() -> real.require(unknown))
                    .isInstanceOf(NoSuchTaskTypeException.class);
                over.countDown();
              })
          .start();
    }
    assertThat(over.await(10, TimeUnit.SECONDS)).isTrue();
    long elapsedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);

    assertThat(reads.get()).isLessThanOrEqualTo((int) (elapsedMs / 25) + 2);
  }

  /** An answer to a hold tells something of its type, and must not wait for it. */
  @Test
  void lastKnownTypeIsNotReadThoughItWasChangedHere() {
    assertThat(types.lastKnown(LARK)).isEmpty();
    when(rows.findAll()).thenReturn(rowsNamed("lark"));
    types.require(LARK);
    when(rows.findLocked("lark")).thenReturn(rowsNamed("lark").stream().findFirst());
    types.changePause(LARK, UnaryOperator.identity());

    assertThat(types.lastKnown(LARK)).isPresent();

    verify(rows, times(1)).findAll();
  }

  @Test
  void deadDatabaseIsWaitedForOnceASecondAndKnownTypesStay() {
    when(rows.findAll())
        .thenReturn(rowsNamed("lark"))
        .thenThrow(new DataAccessResourceFailureException("gone"));
    types.require(LARK);
    clock.addAndGet(TimeUnit.SECONDS.toNanos(2));

    assertThatThrownBy(() -> types.require(LARK))
        .isInstanceOf(DataAccessResourceFailureException.class);
    for (int i = 0; i < 1_000; i++) {
      assertThat(types.require(LARK)).isNotNull();
      assertThat(types.find(LARK)).isPresent();
    }

    verify(rows, times(2)).findAll();
    assertThatThrownBy(() -> types.require(new TaskType("tts")))
        .isInstanceOf(DataAccessResourceFailureException.class);
  }

  @Test
  void slowReaderDoesNotKeepOthersFromWhatIsKnown() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    when(rows.findAll())
        .thenReturn(rowsNamed("lark"))
        .thenAnswer(
            call -> {
              begun.countDown();
              mayEnd.await();
              return rowsNamed("lark");
            });
    types.require(LARK);
    clock.addAndGet(TimeUnit.SECONDS.toNanos(2));
    Thread reader = new Thread(() -> types.find(LARK));
    reader.start();
    begun.await();

    assertThat(types.find(LARK)).isPresent();
    assertThatThrownBy(() -> types.require(new TaskType("tts")))
        .isInstanceOfSatisfying(
            FlowException.class, e -> assertThat(e.errorCode()).isEqualTo(ErrorCode.UNAVAILABLE));
    mayEnd.countDown();
    reader.join();
  }

  @Test
  void recoveredDatabaseIsAskedAgainWithinASecond() {
    when(rows.findAll())
        .thenThrow(new DataAccessResourceFailureException("gone"))
        .thenReturn(rowsNamed("lark"));
    assertThatThrownBy(() -> types.find(LARK))
        .isInstanceOf(DataAccessResourceFailureException.class);

    clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
    assertThat(types.find(LARK)).isPresent();
  }

  @Test
  void saveIsInForceAtOnce() {
    TaskTypeConfig row = TaskTypeConfig.of(TaskTypeSettings.named("lark"));
    when(rows.findLocked(any())).thenReturn(Optional.of(row));
    when(rows.findAll()).thenReturn(rowsNamed("lark"));
    types.require(LARK);

    types.save(
        new TaskTypeForm(TaskTypeSettings.named("lark"), Set.of(), null, false, Reason.NONE));
    types.require(LARK);

    verify(rows, times(2)).findAll();
  }

  private static List<TaskTypeConfig> rowsNamed(String... names) {
    List<TaskTypeConfig> found = new ArrayList<>();
    for (String name : names) {
      found.add(TaskTypeConfig.of(TaskTypeSettings.named(name)));
    }
    return found;
  }
}
