package io.asyncflow.worker.internal.poll;

import io.asyncflow.api.FlowException;
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
 * <p>Without a lock, with stages of one kind and no report that could go along, a turn is one long
 * poll. Otherwise it is a quick round (under the lock; a hold for the stages of each kind, by the
 * places that they take) and, only if that came back empty, a long poll for all of them, for which
 * the lock is given up.
 *
 * <p>A long poll that parked while no slot was free does not ask for the stages that take one. When
 * a slot becomes free it is cut short and repeated, under its id, for all stages: one more request
 * for each such slot, and no wait. So it is with stages that are left to others for a while.
 *
 * <p>When the model of a free slot has {@linkplain LoadedModel had its turn}, the others are asked
 * for first.
 */
public final class TypePoller implements Loop.Step {

  private static final Logger log = LoggerFactory.getLogger(TypePoller.class);

  /** So many answers in a row may be useless before the poller takes its time. */
  private static final int PATIENCE = 3;

  /** How much of a long poll chance may take away. */
  private static final double CHANCE = 0.1;

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
   * @param settings gives {@code null} as long as nothing may be asked for: the type is not known
   *     yet, or finished work comes first
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

  /** Why holds fail just now; {@code null} if they do not. */
  public String problem() {
    return outage.problem();
  }

  /** Something that it depends on may have changed. */
  public void wake() {
    wakeUp.signal();
  }

  /** A slot is free, which a parked hold may not have asked for. */
  public void slotFreed() {
    wakeUp.signal();
    call.cut();
  }

  /** Ends it soon, cutting a parked hold short; what that hold may have got is given back. */
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

  /** Says whether it brought tasks, or at least waited for some. */
  private boolean poll() {
    if (call.unanswered()) { // a hold without an answer comes before anything new
      return longPoll();
    }
    if (demand.isTurnOfOthers() && roundForOthers()) {
      return true;
    }
    boolean quickRoundFirst = lock.present() || demand.kinds() > 1 || call.canPiggyback();
    return quickRoundFirst && quickRound(demand::of) || longPoll();
  }

  private boolean roundForOthers() {
    boolean useful = quickRound(demand::othersOf);
    if (!useful) {
      demand.endTurnOfOthers();
    }
    return useful;
  }

  private boolean quickRound(BiFunction<Integer, TypeLimits, HoldScope> asked) {
    boolean locked = lock.tryAcquire(taskType);
    try {
      boolean useful = false;
      for (int kind : demand.loadedFirst()) {
        useful |= quick(asked.apply(kind, limits));
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
    // Others wait for the lock, and must not wait for our reports.
    return take(lock.present() ? call.hold(scope, Duration.ZERO) : call.holdAndReport(scope));
  }

  private boolean longPoll() {
    long cutsSeen = call.cuts();
    HoldScope scope = demand.all(limits);
    if (scope.isEmpty()) {
      // There is room for nothing; all there is to learn is what the lost answer named. If none was
      // lost, a run of another type has just taken the slot, and the next turn waits for one.
      if (call.unanswered()) {
        take(call.hold(demand.one(), Duration.ZERO));
      }
      return true;
    }
    boolean couldAskForMore = demand.waitsForSlots(limits);
    Duration wait = jitter.shorten(limits.longPoll(), CHANCE);
    Answer answer =
        couldAskForMore ? call.holdUnlessCut(scope, wait, cutsSeen) : call.hold(scope, wait);
    if (answer.tasks().isEmpty()) {
      return answer.took().compareTo(wait.dividedBy(2)) >= 0;
    }
    // The same hold once more parks no more, and tells the leases afresh.
    return take(answer.stale(limits) ? call.lookAgain(scope) : answer);
  }

  private boolean take(Answer answer) {
    return admission.take(answer, limits) > 0;
  }

  /** Answers that bring nothing at once, again and again, must not become a busy loop. */
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

  /** The hold that was under way may have got tasks that nobody here will run. */
  private void recall() {
    if (!call.unanswered()) {
      return;
    }
    try {
      admission.giveBack(call.recall(demand.one()), limits, "the worker stops");
    } catch (FlowException e) {
      log.info(
          "what the last hold of type {} got, if anything, is left to its lease: {}",
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
