package io.asyncflow.worker.internal.poll;

import io.asyncflow.api.FlowException;
import io.asyncflow.worker.HoldLock;
import io.asyncflow.worker.internal.execute.LoadedModel;
import io.asyncflow.worker.internal.loop.Backoff;
import io.asyncflow.worker.internal.loop.Jitter;
import io.asyncflow.worker.internal.loop.Link;
import io.asyncflow.worker.internal.loop.Loop;
import io.asyncflow.worker.internal.loop.OutageLog;
import io.asyncflow.worker.internal.loop.TransitionTable.Listener;
import io.asyncflow.worker.internal.loop.TransitionTable.Transition;
import io.asyncflow.worker.internal.loop.WakeUp;
import io.asyncflow.worker.internal.poll.HoldCall.Answer;
import io.asyncflow.worker.internal.poll.PollerState.Event;
import io.asyncflow.worker.internal.run.TypeLimits;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for the tasks of one type.
 *
 * <p>Without a lock, with stages of one kind and without reports to piggyback, a turn is one long
 * poll. Otherwise it is a quick round (under the lock, one hold for each kind of stages, by the
 * places that they need) and, only if that returned nothing, a long poll for all kinds without the
 * lock.
 *
 * <p>A long poll that parked while no slot was free does not ask for stages with a slot. When a
 * slot becomes free, the poll is cut and repeated under its id for all stages: one more request for
 * each such slot, and no delay. The same applies to deferred stages.
 *
 * <p>When the model of a free slot has {@linkplain LoadedModel had its turn}, other models are
 * asked for first.
 */
public final class TypePoller implements Loop.Step {

  private static final Logger log = LoggerFactory.getLogger(TypePoller.class);

  /** How many useless answers in a row the poller accepts without a pause. */
  private static final int PATIENCE = 3;

  /** The part of a long poll by which jitter may shorten it. */
  private static final double JITTER = 0.1;

  private final String taskType;
  private final TypeDemand demand;
  private final HoldCall call;
  private final Admission admission;
  private final HoldLock lock;
  private final Supplier<TypeLimits> settings;
  private final WakeUp wakeUp;
  private final Backoff backoff;
  private final Jitter jitter;
  private final OutageLog outage;
  private final Listener<PollerState, Event> listener;

  private volatile PollerState state = PollerState.PENDING;
  private volatile boolean stopping;
  private TypeLimits limits;
  private int uselessAnswers;

  /**
   * @param settings returns {@code null} while nothing may be asked for: the type is unknown, or
   *     finished work must be reported first
   */
  public TypePoller(
      String taskType,
      TypeDemand demand,
      HoldCall call,
      Admission admission,
      HoldLock lock,
      Supplier<TypeLimits> settings,
      WakeUp wakeUp,
      Backoff backoff,
      Jitter jitter,
      Link link,
      Listener<PollerState, Event> listener) {
    this.taskType = taskType;
    this.demand = demand;
    this.call = call;
    this.admission = admission;
    this.lock = lock;
    this.settings = settings;
    this.wakeUp = wakeUp;
    this.backoff = backoff;
    this.jitter = jitter;
    this.outage = new OutageLog(log, "holds of type " + taskType, link);
    this.listener = listener;
  }

  public PollerState state() {
    return state;
  }

  /** Why holds fail at present; {@code null} if they do not. */
  public String problem() {
    return outage.problem();
  }

  /** Wakes the poller: a condition for its holds may have changed. */
  public void wake() {
    wakeUp.signal();
  }

  /** Cuts a parked hold that did not ask for stages with a slot: a slot is free. */
  public void slotFreed() {
    wakeUp.signal();
    call.cut();
  }

  /**
   * Ends the poller soon and cuts a parked hold; tasks that this hold may have claimed are
   * released.
   */
  public void stop() {
    stopping = true;
    call.close();
    wakeUp.signal();
  }

  @Override
  public Duration runOnce() {
    if (stopping) {
      return stopped();
    }
    if (!ready()) {
      move(Event.NOT_READY);
      outage.withdraw();
      return Loop.UNTIL_WOKEN;
    }
    move(Event.READY);
    try {
      boolean useful = poll();
      move(Event.ANSWERED);
      outage.worked();
      return pauseAfter(useful);
    } catch (RuntimeException | Error e) {
      return stopping ? stopped() : failed(e);
    }
  }

  private boolean ready() {
    TypeLimits now = settings.get();
    if (now == null) {
      return false;
    }
    limits = now;
    return call.unanswered() || demand.any(limits);
  }

  /** One turn; returns whether it brought tasks, or at least waited for them. */
  private boolean poll() {
    if (call.unanswered()) { // an unanswered hold is repeated before a new one
      return longPoll();
    }
    if (demand.isTurnOfOtherModels() && roundForOthers()) {
      return true;
    }
    boolean quickRoundFirst = lock.present() || demand.kinds() > 1 || call.canPiggyback();
    return quickRoundFirst && quickRound(demand::of) || longPoll();
  }

  private boolean roundForOthers() {
    boolean useful = quickRound(demand::deferredOf);
    if (!useful) {
      demand.endTurnOfOtherModels();
    }
    return useful;
  }

  private boolean quickRound(BiFunction<Integer, TypeLimits, HoldScope> scopes) {
    boolean locked = lock.tryAcquire(taskType);
    try {
      boolean useful = false;
      for (int kind : demand.loadedFirst()) {
        useful |= quick(scopes.apply(kind, limits));
      }
      return useful;
    } finally {
      if (locked) {
        lock.release(taskType);
      }
    }
  }

  private boolean quick(HoldScope scope) {
    if (scope.isEmpty()) {
      return false;
    }
    // Other workers wait for the lock and should not wait for these reports.
    return take(lock.present() ? call.hold(scope, Duration.ZERO) : call.holdAndReport(scope));
  }

  private boolean longPoll() {
    long cutsSeen = call.cuts();
    HoldScope scope = demand.allKinds(limits);
    if (scope.isEmpty()) {
      // There is no room; only the tasks of a lost answer matter. If none was lost, a run of
      // another type has just taken the slot, and the next turn waits for one.
      if (call.unanswered()) {
        take(call.hold(demand.singleTask(), Duration.ZERO));
      }
      return true;
    }
    boolean couldAskForMore = demand.waitsForSlots(limits);
    Duration wait = jitter.shorten(limits.longPoll(), JITTER);
    Answer answer =
        couldAskForMore ? call.holdUnlessCut(scope, wait, cutsSeen) : call.hold(scope, wait);
    if (answer.tasks().isEmpty()) {
      return answer.took().compareTo(wait.dividedBy(2)) >= 0;
    }
    // A repeat of the same hold does not park and returns the present leases.
    return take(answer.stale(limits) ? call.queryLeases(scope) : answer);
  }

  private boolean take(Answer answer) {
    return admission.take(answer, limits) > 0;
  }

  /** The pause after a turn: repeated immediate empty answers must not cause a busy loop. */
  private Duration pauseAfter(boolean useful) {
    if (useful) {
      uselessAnswers = 0;
      backoff.reset();
      return Duration.ZERO;
    }
    uselessAnswers++;
    return uselessAnswers <= PATIENCE ? Duration.ZERO : backoff.next();
  }

  private Duration failed(Throwable e) {
    if (call.wasCut()) {
      move(Event.CUT);
      return Duration.ZERO;
    }
    move(call.unanswered() ? Event.UNANSWERED : Event.REFUSED);
    String kind =
        e instanceof FlowException refusal ? refusal.errorCode().name() : e.getClass().getName();
    outage.failed(kind, String.valueOf(e.getMessage()), "tried again until it works");
    return backoff.next();
  }

  private Duration stopped() {
    recall();
    move(Event.STOP);
    outage.withdraw();
    return Loop.END;
  }

  /** Releases the tasks that the interrupted hold may have claimed. */
  private void recall() {
    if (!call.unanswered()) {
      return;
    }
    try {
      admission.release(call.recall(demand.singleTask()), limits, "the worker stops");
    } catch (FlowException e) {
      log.info(
          "tasks of the last hold of type {}, if any, are left to their leases: {}",
          taskType,
          e.getMessage());
    }
  }

  private void move(Event event) {
    Transition<PollerState, Event> transition = PollerState.TABLE.take(state, event);
    state = transition.to();
    listener.changed(transition);
  }
}
