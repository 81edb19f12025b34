package io.asyncflow.flowsvr.queue.claim;

import static java.util.Collections.disjoint;
import static java.util.Collections.nCopies;
import static java.util.stream.Collectors.collectingAndThen;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.queue.claim.ClaimTransaction.Assignment;
import io.asyncflow.flowsvr.queue.claim.FairShare.Claimant;
import io.asyncflow.flowsvr.queue.due.DueReader;
import io.asyncflow.flowsvr.queue.due.DueReader.Look;
import io.asyncflow.flowsvr.queue.due.DueReader.LookRequest;
import io.asyncflow.flowsvr.queue.due.DueReader.Reading;
import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.index.Range;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.pause.Paused;
import io.asyncflow.flowsvr.task.pause.PausesInForce;
import io.asyncflow.flowsvr.task.type.NoSuchTaskTypeException;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;

/**
 * Claims due tasks of a type for the holds of one line.
 *
 * <p>A claim first reads, without a lock, the first due tasks of each source. It deals them to the
 * holds and then takes as many tasks of each source as were dealt ({@link ClaimTransaction}). The
 * look only makes the plan: SKIP LOCKED keeps claims from waiting for each other, and the guarded
 * UPDATE decides. Without any row locks the result would be the same, after more plans. If a single
 * source is concerned, and it was busy a moment ago, the look is skipped.
 *
 * <p>Thread-safe.
 */
@Service
public class TaskClaimer {

  /** The most plans of a claim. It plans again if other claims took everything planned. */
  private static final int MAX_PLANS = 3;

  /** The most tasks of one claim; bounds the time of its locks and its memory. */
  private static final int MAX_TASKS = 1_000;

  private static final long SOON_MS = 1_000;

  private static final Comparator<Head> HEAD_ORDER =
      Comparator.comparingLong(Head::orderTime)
          .thenComparing(head -> head.source().isOpen())
          .thenComparingLong(Head::number);

  private final DueReader due;
  private final ClaimTransaction transaction;
  private final ClaimStore claims;
  private final HoldStore holds;
  private final TaskTypes types;
  private final PausesInForce pauses;

  TaskClaimer(
      DueReader due,
      ClaimTransaction transaction,
      ClaimStore claims,
      HoldStore holds,
      TaskTypes types,
      PausesInForce pauses) {
    this.due = due;
    this.transaction = transaction;
    this.claims = claims;
    this.holds = holds;
    this.types = types;
    this.pauses = pauses;
  }

  /**
   * A hold in a claim.
   *
   * @param possibleRepeat whether {@code t_hold} has not been read yet for an earlier delivery of
   *     it
   * @param asksLanes whether the claim asks for the lanes of its worker; if not, it gets other
   *     tasks
   */
  public record ClaimRequest(Hold hold, boolean possibleRepeat, boolean asksLanes) {}

  /**
   * The result of a claim.
   *
   * @param rows the tasks of each hold, after the hold and in due order
   * @param againInMs milliseconds until holds without tasks should claim again; 0 for at once
   * @param complete of each hold without tasks, whether it is certain that nothing was due for it;
   *     if not, due tasks may be locked by other transactions, or not all sources have been looked
   *     at
   */
  public record ClaimResult<T>(List<List<T>> rows, long againInMs, List<Boolean> complete) {}

  /**
   * Takes due tasks for holds of one type, in the order of the line. Holds of workers that are
   * paused, or too old for the type, get the tasks of a lost answer and no new ones.
   *
   * @param paused what was paused when the line was read; nothing is taken if this has changed
   * @throws NoSuchTaskTypeException if the type is not configured any more
   */
  public ClaimResult<TaskRow> claim(TaskType type, List<ClaimRequest> line, Paused paused) {
    for (int attempt = 1; ; attempt++) {
      try {
        return new Claim(type, line, paused, attempt > 1).run();
      } catch (DuplicateKeyException e) {
        // A delivery of one of these holds was served meanwhile, or earlier without this claim
        // having read t_hold. Nobody was given anything; the next attempt reads t_hold.
        if (attempt == MAX_PLANS) {
          throw e;
        }
      }
    }
  }

  /** The tasks that an earlier delivery of the hold was given and still holds; may be empty. */
  private List<TaskRow> heldByEarlierDelivery(Hold hold) {
    List<TaskRow> rows = new ArrayList<>();
    holds
        .find(hold)
        .ifPresent(
            earlier -> {
              earlier
                  .numbers()
                  .forEach(
                      (table, numbers) ->
                          rows.addAll(claims.held(table, numbers, Set.of(earlier.traceId()))));
              if (rows.stream().noneMatch(TaskRow::isUnderLiveLease)) {
                holds.delete(hold, earlier.traceId());
                rows.clear();
              }
            });
    rows.sort(ClaimTransaction.DUE_ORDER);
    return rows;
  }

  /** How many tasks of each source are dealt if no other claim takes any. */
  static Map<Source, Integer> plan(List<Head> heads, List<Claimant> line, int most) {
    Map<Source, Integer> plan = new LinkedHashMap<>();
    List<Head> due = heads.stream().filter(Head::isDue).sorted(HEAD_ORDER).toList();
    FairShare.deal(due, head -> head, line, most)
        .forEach(share -> share.forEach(head -> plan.merge(head.source(), 1, Integer::sum)));
    return plan;
  }

  /**
   * Milliseconds until a hold takes a due task that it leaves to others now because it prefers
   * other stages; empty if there is no such task.
   */
  static OptionalLong nextForOthersInMs(List<Head> heads, List<Claimant> line) {
    return heads.stream()
        .filter(Head::isDue)
        .flatMapToLong(
            head ->
                line.stream()
                    .filter(claimant -> claimant.limit() > 0 && claimant.takes(head.source()))
                    .mapToLong(
                        claimant -> claimant.patienceMs(head.source().stage()) - head.dueForMs()))
        .filter(ms -> ms > 0)
        .min();
  }

  /** The union of the holds' stages; empty if a hold takes any stage. */
  private static Set<String> stagesOf(List<Hold> holds) {
    return holds.stream().anyMatch(hold -> hold.stages().isEmpty())
        ? Set.of()
        : holds.stream().flatMap(hold -> hold.stages().stream()).collect(toSet());
  }

  /** One claim. Not thread-safe. */
  private final class Claim {

    private final TaskType type;
    private final List<ClaimRequest> line;
    private final boolean isRepeated;
    private final Paused paused;
    private final List<List<TaskRow>> shares;
    private TaskTypeConfig config;

    /** Those of the line that may get new tasks. */
    private final List<ClaimRequest> takers;

    private final Set<String> stages;

    /** The pauses when the tasks were taken. */
    private Paused inForce;

    /** Whether they are others for this line than when it was read, so that no tasks are taken. */
    private boolean isOutdated;

    /** The lanes with tasks that the last look saw, by worker. */
    private Map<String, Set<String>> lanes = Map.of();

    Claim(TaskType type, List<ClaimRequest> line, Paused paused, boolean isRepeated) {
      this.type = type;
      this.line = line;
      this.paused = paused;
      this.isRepeated = isRepeated;
      this.shares = new ArrayList<>(nCopies(line.size(), List.of()));
      this.config = types.known(type).orElseThrow(() -> new NoSuchTaskTypeException(type));
      this.takers = line.stream().filter(this::mayTake).toList();
      this.stages = stagesOf(takers.stream().map(ClaimRequest::hold).toList());
    }

    private boolean mayTake(ClaimRequest request) {
      return !request.hold().isTooOldFor(config) && !paused.hasWorker(request.hold().workerId());
    }

    private boolean mayBeRepeat(ClaimRequest request) {
      return (isRepeated || request.possibleRepeat()) && request.hold().isRepeatable();
    }

    ClaimResult<TaskRow> run() {
      if (takers.isEmpty()) {
        redeliver();
        return result(SOON_MS, request -> true);
      }
      for (int plan = 1; ; plan++) {
        Look look = due.look(lookRequest(plan == 1));
        lanes = look.lanes().ofWorker();
        if (look.hasRepeats()) {
          redeliver();
        }
        if (!look.hasDue()) {
          return resultAfter(look, true, quietForMs(look));
        }
        config = types.require(type);
        Assignment assignment = isPaused() ? null : take(look);
        if (look.guess().isPresent()) {
          if (assignment == null || assignment.tasks() == 0) {
            continue; // a look tells why, and which holds are repeats
          }
          recordGuess(look, assignment);
          return result(0, request -> false);
        }
        if (assignment == null) {
          due.repeatLook(look);
          return result(SOON_MS, request -> true);
        }
        if (isOutdated) {
          due.repeatLook(look);
          return result(0, request -> false);
        }
        if (assignment.allowance().tasks() == 0) {
          due.repeatLook(look);
          return result(retryInMs(look, assignment), request -> true);
        }
        if (assignment.planned() == 0) { // the holds prefer other stages
          return resultAfter(look, true, retryInMs(look, assignment));
        }
        if (assignment.isComplete()) {
          recordRest(look, assignment);
        }
        if (assignment.tasks() > 0 || plan == MAX_PLANS) {
          boolean tookAll =
              assignment.isComplete() && assignment.setAside() == 0 && !assignment.isCut();
          return resultAfter(look, tookAll, quietForMs(look));
        }
      }
    }

    /** A type that was inserted a moment ago is known by its configuration alone. */
    private boolean isPaused() {
      return config.paused() || paused.hasType(type);
    }

    private long quietForMs(Look look) {
      return due.quietForMs(look, type, stages, paused.stagesOf(type));
    }

    /** A hold that may not take now may do so by the next claim. */
    private ClaimResult<TaskRow> result(long againInMs, Predicate<ClaimRequest> isComplete) {
      return new ClaimResult<>(
          shares,
          takers.size() < line.size() ? Math.min(againInMs, SOON_MS) : againInMs,
          line.stream().map(request -> !mayTake(request) || isComplete.test(request)).toList());
    }

    /**
     * The result after a look. Of a hold that waits it need not be certain that nothing is due in
     * sources that were not looked at because there are too many.
     *
     * @param tookAll whether all planned tasks were taken
     */
    private ClaimResult<TaskRow> resultAfter(Look look, boolean tookAll, long againInMs) {
      Set<String> due = look.dueStages();
      return result(
          againInMs,
          request -> {
            Set<String> wanted = request.hold().stages();
            boolean waits = request.hold().waits();
            boolean wasDue = wanted.isEmpty() ? !due.isEmpty() : !disjoint(due, wanted);
            boolean isCut = look.isCut() && (!waits || !due.isEmpty()) || look.lanes().isCut();
            return !isCut && (wasDue ? tookAll : waits || look.isWholeFor(wanted));
          });
    }

    private long retryInMs(Look look, Assignment assignment) {
      return Math.min(
          assignment.allowance().nextInMs().orElse(SOON_MS),
          nextForOthersInMs(look.heads(), claimants()).orElse(SOON_MS));
    }

    private Assignment take(Look look) {
      List<String> workers = takers.stream().map(request -> request.hold().workerId()).toList();
      pauses.now(); // so that the transaction finds it read
      Assignment assignment =
          transaction.take(
              config,
              claimants(),
              most -> {
                inForce = pauses.nowInTransaction();
                isOutdated = !inForce.equals(paused) && !inForce.isSameFor(type, workers, paused);
                return isOutdated ? Map.of() : planFor(look, most);
              },
              () -> inForce.anyJob());
      for (int i = 0; i < shares.size(); i++) {
        if (!assignment.shares().get(i).isEmpty()) {
          shares.set(i, assignment.shares().get(i));
        }
      }
      return assignment;
    }

    /**
     * How many tasks to take of each range. Of sources whose seen tasks are all planned, but which
     * may have more, as many more as there is room for.
     */
    private Map<Range, Integer> planFor(Look look, int most) {
      if (look.guess().isPresent()) {
        Range busy = look.guess().get();
        int room = room(claimant -> claimant.takes(busy.source()));
        return most == 0 ? Map.of() : Map.of(busy, Math.min(room, most));
      }
      Map<Source, Integer> counts = plan(look.heads(), claimants(), Math.min(most, MAX_TASKS));
      int planned = counts.values().stream().mapToInt(Integer::intValue).sum();
      int free = Math.max(0, Math.min(most, room(claimant -> true)) - planned);
      List<Source> extended =
          counts.keySet().stream()
              .filter(source -> look.readings().get(source).mayHaveMore())
              .filter(source -> counts.get(source) == look.readings().get(source).heads().size())
              .toList();
      for (Source source : extended) {
        int ofSource = room(claimant -> claimant.takes(source)) - counts.get(source);
        counts.merge(source, Math.min(free / extended.size(), ofSource), Integer::sum);
      }
      Map<Range, Integer> plan = new LinkedHashMap<>();
      counts.forEach(
          (source, count) ->
              plan.put(
                  new Range(source, look.readings().get(source).heads().get(0).orderTime()),
                  count));
      return plan;
    }

    /**
     * @param isFirst whether this claim has not looked yet. Then the look may guess a busy range,
     *     unless a hold has a preference, which needs the due times of a look; or one may be a
     *     repeat and gets no new tasks
     */
    private LookRequest lookRequest(boolean isFirst) {
      return new LookRequest(
          type,
          stages,
          takers.stream()
              .map(ClaimRequest::hold)
              .filter(hold -> !hold.waits())
              .map(Hold::stages)
              .toList(),
          room(claimant -> true),
          isFirst
              && !isRepeated
              && line.stream()
                  .noneMatch(one -> mayTake(one) ? one.hold().isChoosy() : mayBeRepeat(one)),
          line.stream().filter(this::mayBeRepeat).map(mayBe -> mayBe.hold().key()).toList(),
          this::workersThatAskLanes,
          paused.stagesOf(type));
    }

    /** The stages that each worker takes whose lanes this claim asks for; empty for all. */
    private Map<String, Set<String>> workersThatAskLanes() {
      return takers.stream()
          .filter(ClaimRequest::asksLanes)
          .map(ClaimRequest::hold)
          .filter(hold -> !hold.workerId().isEmpty())
          .collect(groupingBy(Hold::workerId, collectingAndThen(toList(), TaskClaimer::stagesOf)));
    }

    private int room(Predicate<Claimant> which) {
      long room = claimants().stream().filter(which).mapToLong(Claimant::limit).sum();
      return (int) Math.min(MAX_TASKS, room);
    }

    private List<Claimant> claimants() {
      List<Claimant> claimants = new ArrayList<>();
      for (int i = 0; i < line.size(); i++) {
        Hold hold = line.get(i).hold();
        claimants.add(
            new Claimant(
                hold,
                shares.get(i).isEmpty() && mayTake(line.get(i)) ? hold.limitOf(config) : 0,
                lanes.getOrDefault(hold.workerId(), Set.of())));
      }
      return claimants;
    }

    private void redeliver() {
      for (int i = 0; i < line.size(); i++) {
        if (mayBeRepeat(line.get(i)) && shares.get(i).isEmpty()) {
          shares.set(i, heldByEarlierDelivery(line.get(i).hold()));
        }
      }
    }

    private void recordGuess(Look look, Assignment assignment) {
      assignment.shares().stream()
          .flatMap(List::stream)
          .min(ClaimTransaction.DUE_ORDER)
          .map(ClaimTransaction::headOf)
          .ifPresent(
              first ->
                  due.recordGuess(look, first, !assignment.isComplete() && !assignment.isCut()));
    }

    /** Records what is left in the ranges of a look of which all planned tasks were taken. */
    private void recordRest(Look look, Assignment assignment) {
      assignment
          .plan()
          .forEach(
              (range, count) -> {
                Reading reading = look.readings().get(range.source());
                List<Head> seen = reading.heads();
                if (count < seen.size() || !reading.mayHaveMore()) {
                  due.record(look, reading.range(), seen.subList(count, seen.size()));
                }
              });
    }
  }
}
