package io.asyncflow.flowsvr.claim;

import static java.util.Collections.disjoint;
import static java.util.Collections.nCopies;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.claim.FairShare.Candidate;
import io.asyncflow.flowsvr.claim.FairShare.Claimant;
import io.asyncflow.flowsvr.claim.JointClaim.Assignment;
import io.asyncflow.flowsvr.due.DueLook;
import io.asyncflow.flowsvr.due.DueLook.Look;
import io.asyncflow.flowsvr.due.DueLook.LookRequest;
import io.asyncflow.flowsvr.due.DueLook.OnlyRange;
import io.asyncflow.flowsvr.due.HoldKey;
import io.asyncflow.flowsvr.index.Head;
import io.asyncflow.flowsvr.index.Range;
import io.asyncflow.flowsvr.index.Source;
import io.asyncflow.flowsvr.pause.Paused;
import io.asyncflow.flowsvr.pause.PausesInForce;
import io.asyncflow.flowsvr.tasktype.NoSuchTaskTypeException;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;

/**
 * Claims due tasks of a type for the holds of one line.
 *
 * <p>A claim first reads, without a lock, the first due tasks of each source. It deals them to the
 * holds and then takes as many tasks of each source as were dealt ({@link JointClaim}). The look
 * only makes the plan: SKIP LOCKED keeps claims from waiting for each other, and the guarded UPDATE
 * decides. Without any row locks the result would be the same, after more plans. If a single source
 * is concerned, and it was busy a moment ago, the look is skipped.
 *
 * <p>Thread-safe.
 */
@Service
public class TaskClaimer {

  private static final Logger log = LoggerFactory.getLogger(TaskClaimer.class);

  /** The most plans of a claim. It plans again if other claims took everything planned. */
  private static final int MAX_PLANS = 3;

  /** The most tasks of one claim; bounds the time of its locks and its memory. */
  private static final int MAX_TASKS = 1_000;

  private static final long SOON_MS = 1_000;

  private static final Comparator<Head> HEAD_ORDER =
      Comparator.comparingLong(Head::orderTime)
          .thenComparing(head -> head.source().isOpen())
          .thenComparingLong(Head::number);

  private final DueLook dueLook;
  private final JointClaim joint;
  private final ClaimStore claims;
  private final HoldStore holds;
  private final TaskTypes types;
  private final PausesInForce pauses;

  TaskClaimer(
      DueLook dueLook,
      JointClaim joint,
      ClaimStore claims,
      HoldStore holds,
      TaskTypes types,
      PausesInForce pauses) {
    this.dueLook = dueLook;
    this.joint = joint;
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
   * @param requireFresh whether it is answered even if nothing is due, so that hints are not
   *     sufficient
   * @param arrivedAt {@linkplain io.asyncflow.flowsvr.system.Node#nanoTime when} it arrived; an
   *     earlier look is not sufficient if {@code requireFresh}
   * @param asksLanes whether the claim asks for the lanes of its worker; if not, it gets other
   *     tasks
   */
  public record ClaimRequest(
      Hold hold, boolean possibleRepeat, boolean requireFresh, long arrivedAt, boolean asksLanes) {

    /** A request that asks for the lanes of its worker. */
    public ClaimRequest(Hold hold, boolean possibleRepeat, boolean requireFresh, long arrivedAt) {
      this(hold, possibleRepeat, requireFresh, arrivedAt, true);
    }
  }

  /**
   * The result of a claim.
   *
   * @param rows the rows of each hold, after the hold and in due order
   * @param againInMs milliseconds until holds without tasks should claim again; 0 for at once
   * @param complete of each hold without tasks, whether it is certain that nothing was due for it;
   *     if not, due tasks may be locked by other transactions, or not all sources have been looked
   *     at
   */
  public record ClaimResult(List<List<TaskRow>> rows, long againInMs, List<Boolean> complete) {

    /** A result that is certain of no hold without tasks. */
    static ClaimResult incomplete(List<List<TaskRow>> rows) {
      return new ClaimResult(rows, 0, nCopies(rows.size(), false));
    }
  }

  /**
   * Takes due tasks for holds of one type, in the order of the line.
   *
   * @param paused what was paused when the line was read; nothing is taken if this has changed
   * @throws NoSuchTaskTypeException if the type is not configured any more
   */
  public ClaimResult claim(TaskType type, List<ClaimRequest> line, Paused paused) {
    try {
      return new ClaimInProgress(type, line, paused).run();
    } catch (DuplicateKeyException e) {
      // Another server has served a delivery of one of these holds, at the same time, or earlier
      // without this claim having read t_hold.
      return line.size() == 1 ? repeated(line.get(0)) : claimOneByOne(type, line, paused);
    }
  }

  private ClaimResult repeated(ClaimRequest request) {
    return ClaimResult.incomplete(List.of(heldByEarlierDelivery(request.hold())));
  }

  /**
   * Claims for each hold separately. Stops at the first failure, but keeps the results before it:
   * those tasks are held, and would be lost without an answer.
   */
  private ClaimResult claimOneByOne(TaskType type, List<ClaimRequest> line, Paused paused) {
    List<List<TaskRow>> rows = new ArrayList<>(nCopies(line.size(), List.of()));
    try {
      for (int i = 0; i < line.size(); i++) {
        rows.set(i, claim(type, List.of(line.get(i)), paused).rows().get(0));
      }
    } catch (RuntimeException e) { // a missing connection does not throw a DataAccessException
      if (rows.stream().allMatch(List::isEmpty)) {
        throw e;
      }
      log.warn("some holds of {} get no tasks from this claim: {}", type, e.toString());
    }
    return ClaimResult.incomplete(rows);
  }

  /** The tasks that an earlier delivery of the hold was given and still holds; may be empty. */
  public List<TaskRow> heldByEarlierDelivery(Hold hold) {
    return holds.find(hold).map(stored -> stillHeld(hold, stored)).orElse(List.of());
  }

  private List<TaskRow> stillHeld(Hold hold, HoldStore.StoredHold stored) {
    Map<TaskTable, List<Long>> numbers = new TreeMap<>();
    for (TaskId id : stored.ids()) {
      numbers.computeIfAbsent(id.table(), t -> new ArrayList<>()).add(id.number());
    }
    List<TaskRow> rows = new ArrayList<>();
    numbers.forEach((table, ids) -> rows.addAll(claims.held(table, ids, Set.of(stored.traceId()))));
    if (rows.stream().noneMatch(TaskRow::isUnderLiveLease)) {
      holds.delete(hold, stored.traceId());
      return List.of();
    }
    rows.sort(JointClaim.DUE_ORDER);
    return rows;
  }

  /** How many tasks of each source are dealt if no other claim takes any. */
  static Map<Source, Integer> plan(List<Head> heads, List<Claimant> line, int most) {
    Map<Source, Integer> plan = new LinkedHashMap<>();
    List<Head> due = heads.stream().filter(Head::isDue).sorted(HEAD_ORDER).toList();
    FairShare.deal(due, TaskClaimer::candidate, line, most)
        .forEach(share -> share.forEach(head -> plan.merge(head.source(), 1, Integer::sum)));
    return plan;
  }

  private static Candidate candidate(Head head) {
    return new Candidate(head.source().stage(), head.source().lane(), head.dueForMs());
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
                    .filter(claimant -> claimant.limit() > 0 && takes(claimant, head.source()))
                    .mapToLong(
                        claimant -> claimant.patienceMs(head.source().stage()) - head.dueForMs()))
        .filter(ms -> ms > 0)
        .min();
  }

  private static boolean takes(Claimant claimant, Source source) {
    return claimant.takes(source.stage(), source.lane());
  }

  /** One claim. Not thread-safe. */
  private final class ClaimInProgress {

    private final TaskType type;
    private final List<ClaimRequest> line;
    private final List<List<TaskRow>> shares = new ArrayList<>();
    private final Set<String> stages;
    private final Paused paused;

    /** The pauses when the tasks were taken. */
    private Paused inForce;

    /** Whether they are others for this line than when it was read, so that no tasks are taken. */
    private boolean isOutdated;

    /** The lanes with tasks that the last look saw, by worker. */
    private Map<String, Set<String>> lanes = Map.of();

    ClaimInProgress(TaskType type, List<ClaimRequest> line, Paused paused) {
      this.type = type;
      this.line = line;
      this.paused = paused;
      this.stages = stagesOf(line);
      line.forEach(request -> shares.add(List.of()));
    }

    /** The union of the holds' stages; empty if a hold takes any stage. */
    private static Set<String> stagesOf(List<ClaimRequest> line) {
      Set<String> stages = new HashSet<>();
      for (ClaimRequest request : line) {
        if (request.hold().stages().isEmpty()) {
          return Set.of();
        }
        stages.addAll(request.hold().stages());
      }
      return stages;
    }

    /** The stages that each worker takes; empty for all. */
    private Map<String, Set<String>> workers() {
      return workers(request -> true);
    }

    /** Those of the workers whose lanes this claim asks for. */
    private Map<String, Set<String>> workersThatAskLanes() {
      return workers(ClaimRequest::asksLanes);
    }

    private Map<String, Set<String>> workers(Predicate<ClaimRequest> which) {
      Map<String, Set<String>> workers = new HashMap<>();
      for (ClaimRequest request : line) {
        Hold hold = request.hold();
        if (!hold.workerId().isEmpty() && which.test(request)) {
          workers.merge(hold.workerId(), hold.stages(), ClaimInProgress::union);
        }
      }
      return workers;
    }

    private static Set<String> union(Set<String> first, Set<String> second) {
      if (first.isEmpty() || second.isEmpty()) {
        return Set.of();
      }
      Set<String> union = new HashSet<>(first);
      union.addAll(second);
      return union;
    }

    ClaimResult run() {
      Optional<OnlyRange> busy = busyRange();
      if (busy.isPresent() && takeWithoutLook(busy.get())) {
        return ClaimResult.incomplete(shares);
      }
      for (int plan = 1; ; plan++) {
        Look look = look();
        lanes = look.lanes().ofWorker();
        if (look.hasRepeats()) {
          redeliver();
        }
        if (!look.hasDue()) {
          return resultAfter(look, true, quietForMs(look));
        }
        TaskTypeConfig config = types.require(type);
        if (isPaused(config)) {
          dueLook.repeatLook(look);
          return new ClaimResult(shares, SOON_MS, nCopies(line.size(), true));
        }
        Assignment assignment = take(config, most -> planFor(look, config, most));
        if (isOutdated) {
          dueLook.repeatLook(look);
          return ClaimResult.incomplete(shares);
        }
        if (assignment.allowance().tasks() == 0) {
          dueLook.repeatLook(look);
          return new ClaimResult(
              shares, retryInMs(look, config, assignment), nCopies(line.size(), true));
        }
        if (assignment.planned() == 0) { // the holds prefer other stages
          return resultAfter(look, true, retryInMs(look, config, assignment));
        }
        boolean tookAll = assignment.isComplete();
        if (tookAll) {
          recordRemaining(look, assignment);
        }
        if (assignment.tasks() > 0 || plan == MAX_PLANS) {
          return resultAfter(
              look, tookAll && assignment.setAside() == 0 && !assignment.isCut(), quietForMs(look));
        }
      }
    }

    /** A type that was inserted a moment ago is known by its configuration alone. */
    private boolean isPaused(TaskTypeConfig config) {
      return config.paused() || paused.hasType(type);
    }

    private long quietForMs(Look look) {
      return dueLook.quietForMs(look, type, stages, paused.stagesOf(type));
    }

    /**
     * The result after a look.
     *
     * @param tookAll whether all planned tasks were taken
     */
    private ClaimResult resultAfter(Look look, boolean tookAll, long againInMs) {
      Set<String> due = look.dueStages();
      List<Boolean> complete =
          line.stream().map(request -> isComplete(request, look, due, tookAll)).toList();
      return new ClaimResult(shares, againInMs, complete);
    }

    private static boolean isComplete(
        ClaimRequest request, Look look, Set<String> due, boolean tookAll) {
      if (look.isUnderWay()
          || request.requireFresh() && look.turnBeganBefore(request.arrivedAt())) {
        return false;
      }
      boolean wasDue =
          request.hold().stages().isEmpty()
              ? !due.isEmpty()
              : !disjoint(due, request.hold().stages());
      return wasDue ? tookAll : !request.requireFresh() || look.isWholeFor(request.hold().stages());
    }

    /**
     * The busy range to take from without a look. Empty if a hold has a preference, which needs the
     * due times of a look, or if a hold that is answered in any case takes no task of the range: it
     * would wait for as long as the range is busy.
     */
    private Optional<OnlyRange> busyRange() {
      if (line.stream().anyMatch(request -> request.hold().isChoosy())) {
        return Optional.empty();
      }
      return dueLook
          .busyRange(type, stages, this::workersThatAskLanes, paused.stagesOf(type))
          .filter(this::concernsAllThatRequireFresh);
    }

    private boolean concernsAllThatRequireFresh(OnlyRange busy) {
      String stage = busy.range().source().stage();
      return line.stream()
          .filter(ClaimRequest::requireFresh)
          .allMatch(request -> request.hold().takes(stage));
    }

    private long retryInMs(Look look, TaskTypeConfig config, Assignment assignment) {
      long limitsInMs = assignment.allowance().nextInMs().orElse(SOON_MS);
      return Math.min(
          limitsInMs, nextForOthersInMs(look.heads(), claimants(config)).orElse(SOON_MS));
    }

    private boolean takeWithoutLook(OnlyRange busy) {
      TaskTypeConfig config = types.require(type);
      if (isPaused(config)) {
        return false;
      }
      int room = room(config, claimant -> takes(claimant, busy.range().source()));
      Assignment assignment =
          take(config, most -> most == 0 ? Map.of() : Map.of(busy.range(), Math.min(room, most)));
      if (assignment.tasks() == 0) {
        return false;
      }
      TaskRow first =
          assignment.shares().stream()
              .flatMap(List::stream)
              .min(JointClaim.DUE_ORDER)
              .orElseThrow();
      dueLook.recordClaim(busy, first, !assignment.isComplete() && !assignment.isCut());
      return true;
    }

    private Assignment take(TaskTypeConfig config, IntFunction<Map<Range, Integer>> plan) {
      pauses.now(); // so that the transaction finds it read
      Assignment assignment =
          joint.take(
              config,
              claimants(config),
              most -> {
                inForce = pauses.nowInTransaction();
                isOutdated =
                    !inForce.equals(paused) && !inForce.isSameFor(type, workers().keySet(), paused);
                return isOutdated ? Map.of() : plan.apply(most);
              },
              () -> inForce.anyJob());
      for (int i = 0; i < shares.size(); i++) {
        if (!assignment.shares().get(i).isEmpty()) {
          shares.set(i, assignment.shares().get(i));
        }
      }
      return assignment;
    }

    private Map<Range, Integer> planFor(Look look, TaskTypeConfig config, int most) {
      Map<Source, Long> first = new HashMap<>();
      look.heads().forEach(head -> first.merge(head.source(), head.orderTime(), Math::min));
      Map<Range, Integer> plan = new LinkedHashMap<>();
      Map<Source, Integer> counts =
          plan(look.heads(), claimants(config), Math.min(most, MAX_TASKS));
      extendPlan(look, config, counts, most);
      counts.forEach((source, count) -> plan.put(new Range(source, first.get(source)), count));
      return plan;
    }

    /**
     * Extends the plan up to the free limits, for sources whose seen tasks are all planned but
     * which may have more.
     */
    private void extendPlan(
        Look look, TaskTypeConfig config, Map<Source, Integer> counts, int most) {
      int planned = counts.values().stream().mapToInt(Integer::intValue).sum();
      int free = Math.min(most, room(config)) - planned;
      if (free <= 0 || look.seenInPart().isEmpty()) {
        return;
      }
      Map<Source, Long> seen = look.heads().stream().collect(groupingBy(Head::source, counting()));
      List<Source> sources =
          counts.keySet().stream()
              .filter(look.seenInPart()::contains)
              .filter(source -> counts.get(source).longValue() == seen.get(source))
              .toList();
      for (Source source : sources) {
        int ofSource = room(config, claimant -> takes(claimant, source)) - counts.get(source);
        counts.merge(source, Math.min(free / sources.size(), ofSource), Integer::sum);
      }
    }

    /**
     * Looks once; looks a second time, at everything, before the result can be that nothing is due.
     */
    private Look look() {
      TaskTypeConfig config =
          types.known(type).orElseThrow(() -> new NoSuchTaskTypeException(type));
      List<HoldKey> unchecked =
          line.stream()
              .filter(request -> request.possibleRepeat() && request.hold().isRepeatable())
              .map(request -> request.hold().key())
              .toList();
      List<Hold> requireFresh =
          line.stream().filter(ClaimRequest::requireFresh).map(ClaimRequest::hold).toList();
      Set<String> requiredStages =
          requireFresh.stream().flatMap(hold -> hold.stages().stream()).collect(toSet());
      LookRequest request =
          new LookRequest(
              type,
              stages,
              requiredStages,
              room(config),
              requireFresh.stream().anyMatch(hold -> hold.stages().isEmpty()),
              unchecked,
              this::workersThatAskLanes,
              paused.stagesOf(type));
      Look look = dueLook.look(request, false);
      boolean isEnough =
          look.hasDue() || requireFresh.stream().map(Hold::stages).allMatch(look::isWholeFor);
      return isEnough ? look : dueLook.look(request, true);
    }

    private int room(TaskTypeConfig config) {
      return room(config, claimant -> true);
    }

    private int room(TaskTypeConfig config, Predicate<Claimant> which) {
      long room = claimants(config).stream().filter(which).mapToLong(Claimant::limit).sum();
      return (int) Math.min(MAX_TASKS, room);
    }

    private List<Claimant> claimants(TaskTypeConfig config) {
      List<Claimant> claimants = new ArrayList<>();
      for (int i = 0; i < line.size(); i++) {
        Hold hold = line.get(i).hold();
        int limit = hold.limit() == 0 ? config.scheduleLimit() : hold.limit();
        claimants.add(
            new Claimant(
                hold,
                shares.get(i).isEmpty() ? limit : 0,
                lanes.getOrDefault(hold.workerId(), Set.of())));
      }
      return claimants;
    }

    private void redeliver() {
      for (int i = 0; i < line.size(); i++) {
        ClaimRequest request = line.get(i);
        if (request.possibleRepeat() && request.hold().isRepeatable() && shares.get(i).isEmpty()) {
          shares.set(i, heldByEarlierDelivery(request.hold()));
        }
      }
    }

    private void recordRemaining(Look look, Assignment assignment) {
      Map<Source, Range> ranges =
          look.ranges().stream().collect(toMap(Range::source, Function.identity()));
      Map<Source, List<Head>> heads = look.heads().stream().collect(groupingBy(Head::source));
      assignment
          .plan()
          .forEach(
              (range, count) -> {
                if (!range.source().isOpen()) {
                  return; // the next look sees what remains in a lane
                }
                List<Head> seen = heads.get(range.source());
                if (count < seen.size() || !look.seenInPart().contains(range.source())) {
                  Range looked = ranges.get(range.source());
                  dueLook.recordRemaining(look, looked, seen.subList(count, seen.size()));
                }
              });
    }
  }
}
