package io.asyncflow.flowsvr.operate.operator.pause;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.pause.Pause;
import io.asyncflow.api.pause.PauseKind;
import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.base.duty.FeaturesInUse;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.concurrent.FailureCollector;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.task.pause.PauseStore;
import io.asyncflow.flowsvr.task.pause.PausesChanged;
import io.asyncflow.flowsvr.task.type.NoSuchTaskTypeException;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.PausedName;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Service;

/**
 * Pauses types, stages and workers, and ends pauses: by an operator, or when their time has come.
 */
@Service
public class PauseActs {

  private static final int MAX_PAUSES = 10_000;
  private static final int PAGE = 500;
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final PauseStore pauses;
  private final TaskTypes types;
  private final Acts acts;
  private final RetryingTransactions transactions;
  private final Events events;
  private final FeaturesInUse features;

  PauseActs(
      PauseStore pauses,
      TaskTypes types,
      Acts acts,
      RetryingTransactions transactions,
      Events events,
      FeaturesInUse features) {
    this.pauses = pauses;
    this.types = types;
    this.acts = acts;
    this.transactions = transactions;
    this.events = events;
    this.features = features;
  }

  /**
   * Pauses. Repeating a pause changes nothing; another time, operator or reason replaces the last.
   *
   * @param until epoch ms; {@code null} for a pause that only {@link #clear} ends
   * @throws NoSuchTaskTypeException if there is no such type
   * @throws FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if there are too many pauses
   */
  void set(PausedName name, Long until, Reason why) {
    if (name.kind() == PauseKind.STAGE) {
      types.require(name.type());
    }
    change(
        name,
        wasPaused -> {
          if (!wasPaused) {
            pauses.delete(name); // the flag was taken away by SQL
          }
          put(name, until, why);
          return true;
        });
    events.publish(PausesChanged.HERE);
  }

  /**
   * Changes a pause in a transaction: one of a type under the lock of the type's row, which has its
   * flag.
   *
   * @param change from whether the type was paused, which is true of a stage and of a worker
   */
  private void change(PausedName name, UnaryOperator<Boolean> change) {
    if (name.kind() == PauseKind.TYPE) {
      types.changePause(name.type(), change);
    } else {
      transactions.execute(() -> change.apply(true));
    }
  }

  private void put(PausedName name, Long until, Reason why) {
    Optional<Pause> before = pauses.lock(name);
    boolean isSame =
        before
            .filter(pause -> Objects.equals(pause.until(), until))
            .filter(pause -> new Reason(pause.operator(), pause.reason()).equals(why))
            .isPresent();
    if (isSame) {
      return;
    }
    if (before.isEmpty() && pauses.count() >= MAX_PAUSES) {
      throw new FlowException(ErrorCode.LIMIT_EXCEEDED, "there are " + MAX_PAUSES + " pauses");
    }
    pauses.put(name, until, why);
    Map<String, Long> detail = until == null ? null : Map.of("until", until);
    acts.record(Act.of("PAUSE", objectOf(name)).by(why).with(detail));
  }

  /**
   * Ends a pause; does nothing if there is none.
   *
   * @throws NoSuchTaskTypeException if it names a type that does not exist
   */
  void clear(PausedName name, Reason why) {
    change(
        name,
        wasPaused -> {
          boolean isDeleted = pauses.delete(name);
          if (name.kind() == PauseKind.TYPE ? wasPaused : isDeleted) {
            acts.record(endOf(name, why));
          }
          return false;
        });
    events.publish(PausesChanged.HERE);
  }

  private static Act endOf(PausedName name, Reason why) {
    return Act.of("RESUME", objectOf(name)).by(why);
  }

  private static String objectOf(PausedName name) {
    return name.kind().name().toLowerCase(Locale.ROOT) + ":" + name.text();
  }

  @Bean
  Duty pauseExpiryDuty(DutyIntervals every) {
    return Duty.ofLeader("pause-expiry", every.notBelowSweep(INTERVAL), this::endDue)
        .onlyWith(PauseStore.ENDS);
  }

  /** A server has paused something, perhaps until some time. */
  @EventListener
  void onPauses(PausesChanged news) {
    features.changed();
  }

  /**
   * Ends a page of the pauses whose time has come, each unless it was changed meanwhile; returns
   * their number.
   *
   * @throws RuntimeException the first failure, after the others were ended
   */
  int endDue() {
    List<Pause> due = pauses.ended(PAGE);
    FailureCollector failures = new FailureCollector();
    due.forEach(pause -> failures.collect(() -> end(pause)));
    if (!due.isEmpty()) {
      events.publish(PausesChanged.HERE);
    }
    failures.throwFirst();
    return due.size();
  }

  private void end(Pause pause) {
    PausedName name = new PausedName(pause.kind(), pause.name());
    try {
      change(
          name,
          wasPaused -> {
            boolean isEnded = pauses.deleteEnded(pause);
            if (isEnded && wasPaused) {
              acts.recordOwn(endOf(name, new Reason("", "its time has come")));
            }
            return !isEnded && wasPaused;
          });
    } catch (NoSuchTaskTypeException e) {
      pauses.deleteEnded(pause);
    }
  }
}
