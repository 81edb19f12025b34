package io.asyncflow.flowsvr.queue.claim;

import static java.util.Collections.nCopies;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.base.pulse.TaskPulse;
import io.asyncflow.flowsvr.queue.claim.FairShare.Claimant;
import io.asyncflow.flowsvr.queue.claim.ParkedHolds.Kept;
import io.asyncflow.flowsvr.queue.due.DueReader;
import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.pause.Paused;
import io.asyncflow.flowsvr.task.pause.PausesInForce;
import io.asyncflow.flowsvr.task.row.AnswerRoom;
import io.asyncflow.flowsvr.task.row.NewRow;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.Leases;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Component;
import org.springframework.util.function.SingletonSupplier;

/**
 * Hands new tasks over to parked holds at their birth: the transaction that creates a task inserts
 * it as held, and the task is never waiting. One commit takes the place of two, and no entry moves
 * within {@code idx_claim}. Others call it a sync match.
 *
 * <p>No task that was due and committed before the transaction began is overtaken: the transaction
 * asks first whether one is due in any stage of the holds. If so, or if the type has a limit that
 * claims keep, its events tell of holds, or it or a stage of it is paused, the tasks wait as usual.
 * The row of {@code t_hold} is written as by a claim, so a worker that loses the answer gets the
 * same tasks again. Thread-safe.
 */
@Component
public class Handover {

  private static final Logger log = LoggerFactory.getLogger(Handover.class);

  private final SingletonSupplier<ParkedHolds> parked; // late: these report, and reports create
  private final DueReader due;
  private final HoldStore store;
  private final PausesInForce pauses;
  private final TaskPulse pulse;
  private final Offer nothing = new Offer(null, Kept.NONE);

  Handover(
      ObjectProvider<ParkedHolds> parked,
      DueReader due,
      HoldStore store,
      PausesInForce pauses,
      TaskPulse pulse) {
    this.parked = SingletonSupplier.of(parked::getObject);
    this.due = due;
    this.store = store;
    this.pauses = pauses;
    this.pulse = pulse;
  }

  /** An earlier delivery of a hold has tasks, which another server has given it. */
  public static final class HoldRepeatedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private HoldRepeatedException(DuplicateKeyException cause) {
      super(cause);
    }
  }

  /**
   * Offers tasks that are to be created to parked holds. The offer must be closed.
   *
   * @param rows of one type, at least one
   */
  public Offer offer(TaskTypeConfig type, List<NewRow> rows) {
    if (!mayBeHeldAtOnce(type)) {
      return nothing;
    }
    Set<String> stages =
        rows.stream().filter(Handover::isDueAtOnce).map(row -> row.task().stage()).collect(toSet());
    if (stages.isEmpty() || !due.mayBeQuiet(type.type(), stages)) {
      return nothing;
    }
    Kept kept =
        parked
            .obtain()
            .keep(
                type,
                hold -> mayTake(hold, type) && stages.stream().anyMatch(hold::takesAtOnce),
                rows.size());
    if (kept.holds().isEmpty()) {
      return nothing;
    }
    try {
      pauses.now(); // so that the transaction finds it read
      return new Offer(type, kept);
    } catch (Throwable e) {
      kept.free();
      throw e;
    }
  }

  private boolean mayBeHeldAtOnce(TaskTypeConfig type) {
    return type.maxExecuting() == 0
        && type.rateLimit() == 0
        && type.userRateLimit() == 0
        && !type.paused()
        && !type.keeps(EventKind.HELD)
        && !isPaused(type, pauses.lastKnown());
  }

  private boolean mayTake(Hold hold, TaskTypeConfig type) {
    return !hold.isTooOldFor(type) && !pauses.lastKnown().hasWorker(hold.workerId());
  }

  private static boolean isPaused(TaskTypeConfig type, Paused paused) {
    return paused.hasType(type.type()) || !paused.stagesOf(type.type()).isEmpty();
  }

  private static boolean isDueAtOnce(NewRow row) {
    return row.task().isDueAtOnce()
        && row.place() == null
        && row.task().fire() == null
        && row.lane().equals(Lane.OPEN);
  }

  private static List<List<TaskRow>> deal(
      TaskTypeConfig type, Stream<TaskRow> rows, List<Hold> holds) {
    List<Claimant> line =
        holds.stream().map(hold -> new Claimant(hold, hold.limitOf(type))).toList();
    List<TaskRow> inOrder = rows.sorted(ClaimTransaction.DUE_ORDER).toList();
    return FairShare.deal(inOrder, Handover::headOf, line, inOrder.size());
  }

  /** It is due now, and not since its head start: holds that prefer other stages leave it. */
  private static Head headOf(TaskRow row) {
    return new Head(ClaimTransaction.headOf(row).source(), row.id().number(), row.now(), row.now());
  }

  /** An offer without holds. */
  public Offer nothing() {
    return nothing;
  }

  /** New tasks of one create call, and the holds that may get them. Not thread-safe. */
  public final class Offer implements AutoCloseable {

    private final TaskTypeConfig type;
    private final Kept kept;

    /** Of each hold, in their order; of the last attempt to create the tasks. */
    private List<List<TaskRow>> shares = List.of();

    private final Map<TaskId, TaskRow> given = new HashMap<>();

    private Offer(TaskTypeConfig type, Kept kept) {
      this.type = type;
      this.kept = kept;
    }

    /** Whether there is a hold that may get a task, so that {@link #give} needs a transaction. */
    public boolean isAny() {
      return !holds().isEmpty();
    }

    List<Hold> holds() {
      return kept.holds();
    }

    /**
     * Gives tasks to the holds, in the transaction that creates them, before it has written any.
     * {@link #record} follows.
     *
     * @param rows what is to be inserted
     * @return the same, some of them held
     */
    public List<NewRow> give(List<NewRow> rows) {
      given.clear(); // this may be a repeat
      shares = nCopies(holds().size(), List.of());
      OptionalLong now = rows.isEmpty() ? OptionalLong.empty() : quietNow();
      if (now.isEmpty()) {
        return rows;
      }
      AnswerRoom room = new AnswerRoom();
      Stream<TaskRow> born =
          rows.stream()
              .filter(Handover::isDueAtOnce)
              .map(row -> row.waiting(now.getAsLong()))
              .takeWhile(row -> room.take(AnswerRoom.bytesOf(row)));
      shares = deal(type, born, holds());
      for (int i = 0; i < shares.size(); i++) {
        shares.set(i, heldBy(holds().get(i), shares.get(i)));
        shares.get(i).forEach(row -> given.put(row.id(), row));
      }
      return rows.stream().map(row -> row.heldAs(given.get(row.id()))).toList();
    }

    private OptionalLong quietNow() {
      Set<String> stages =
          holds().stream().flatMap(hold -> hold.stages().stream()).collect(toSet());
      Paused paused = pauses.nowInTransaction();
      return isPaused(type, paused)
              || holds().stream().anyMatch(hold -> paused.hasWorker(hold.workerId()))
          ? OptionalLong.empty()
          : due.quietNow(type.type(), stages);
    }

    private List<TaskRow> heldBy(Hold hold, List<TaskRow> rows) {
      if (rows.isEmpty()) {
        return rows;
      }
      String traceId = ClaimTransaction.newTrace();
      long lease = hold.lease(type).toMillis();
      return rows.stream()
          .map(row -> row.held(hold.workerId(), traceId, row.now(), row.now() + lease))
          .toList();
    }

    /**
     * Stores what the holds were given, in the same transaction, after the tasks were inserted.
     *
     * @throws HoldRepeatedException if an earlier delivery of one of the holds has tasks; then
     *     nothing may be created
     */
    public void record() {
      SortedMap<Hold, List<TaskRow>> stored = new TreeMap<>(HoldStore.ORDER);
      for (int i = 0; i < shares.size(); i++) {
        if (!shares.get(i).isEmpty()) {
          stored.put(holds().get(i), shares.get(i));
        }
      }
      if (!stored.isEmpty()) {
        try {
          store.insert(stored, Leases.firstOfWorkers(type).multipliedBy(2));
        } catch (DuplicateKeyException e) {
          throw new HoldRepeatedException(e);
        }
      }
    }

    /** Whether a task waits for no claim, because it was given to a hold. */
    public boolean hasGiven(TaskId id) {
      return given.containsKey(id);
    }

    /** Answers the holds, after the commit. A failure is logged: the tasks exist. */
    public void answer() {
      try {
        given.values().forEach(row -> pulse.held(row, row.holdTime()));
        kept.answer(shares);
      } catch (RuntimeException e) {
        log.warn("{} new tasks reach their holds only when these are repeated", given.size(), e);
      }
    }

    /** Frees the holds, if they were not answered. */
    @Override
    public void close() {
      kept.free();
    }
  }
}
