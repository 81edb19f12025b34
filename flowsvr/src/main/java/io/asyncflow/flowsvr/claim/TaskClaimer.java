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
import io.asyncflow.flowsvr.due.Head;
import io.asyncflow.flowsvr.due.HoldKey;
import io.asyncflow.flowsvr.due.Range;
import io.asyncflow.flowsvr.due.Source;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;

/**
 * Takes due tasks of a type for holds that are served together.
 *
 * <p>A claim first looks, without a lock, which sources (a stage in a table) stand at the head of
 * the order, deals what it sees out to the holds, and then takes as many of each source as that
 * came to ({@link JointClaim}). The look only plans: SKIP LOCKED keeps claimers from waiting for
 * each other, and the guarded UPDATE decides. With an engine that locks nothing the result would be
 * the same, with more attempts. Where a single source is in question, and was busy a moment ago,
 * the look is left out.
 *
 * <p>Thread-safe.
 */
@Service
public class TaskClaimer {

  private static final Logger log = LoggerFactory.getLogger(TaskClaimer.class);

  /** How often a claim plans anew when others took what it had planned for. */
  private static final int ROUNDS = 3;

  /** Tasks that one claim takes: so long its locks are held, and its rows are in memory. */
  private static final int MOST_TASKS = 1_000;

  private static final long SOON_MS = 1_000;

  private static final Comparator<Head> HEAD_ORDER =
      Comparator.comparingLong(Head::orderTime).thenComparingLong(Head::number);

  private final DueLook looks;
  private final JointClaim joint;
  private final ClaimStore claims;
  private final HoldStore holds;
  private final TaskTypes types;

  TaskClaimer(
      DueLook looks, JointClaim joint, ClaimStore claims, HoldStore holds, TaskTypes types) {
    this.looks = looks;
    this.joint = joint;
    this.claims = claims;
    this.holds = holds;
    this.types = types;
  }

  /**
   * A hold in a claim.
   *
   * @param possibleRepeat whether nobody has looked yet what an earlier delivery of it was given
   * @param requireFresh whether it is answered even if nothing is found, so that hints are not
   *     enough
   * @param arrivedAt {@linkplain io.asyncflow.flowsvr.system.Node#nanoTime when} it came; what was
   *     looked at before is not enough either
   */
  public record ClaimRequest(
      Hold hold, boolean possibleRepeat, boolean requireFresh, long arrivedAt) {}

  /**
   * What a claim came to.
   *
   * @param rows of each hold, as they are after it and in due order
   * @param againInMs how long until those that got nothing should ask again; 0 if at once
   * @param complete of each hold, whether there was nothing for it if it got nothing; if not,
   *     somebody may have locked what is due at the moment, or nobody has looked everywhere for it
   */
  public record ClaimResult(List<List<TaskRow>> rows, long againInMs, List<Boolean> complete) {

    /** One that nobody knows more of than what was given. */
    static ClaimResult incomplete(List<List<TaskRow>> rows) {
      return new ClaimResult(rows, 0, nCopies(rows.size(), false));
    }
  }

  /**
   * Takes due tasks for holds of one type, in the order of the line.
   *
   * @throws NoSuchTaskTypeException if the type is not configured any more
   */
  public ClaimResult claim(TaskType type, List<ClaimRequest> line) {
    try {
      return new Attempt(type, line).run();
    } catch (DuplicateKeyException e) {
      // Another delivery of one of these holds was served at the same time by another server, or
      // before, and nobody looked.
      return line.size() == 1 ? repeated(line.get(0)) : oneByOne(type, line);
    }
  }

  private ClaimResult repeated(ClaimRequest only) {
    return ClaimResult.incomplete(List.of(heldBefore(only.hold())));
  }

  /**
   * Ends with the first that fails, and fails no hold before it: what those were given is
   * committed, and would be lost without an answer.
   */
  private ClaimResult oneByOne(TaskType type, List<ClaimRequest> line) {
    List<List<TaskRow>> rows = new ArrayList<>(nCopies(line.size(), List.of()));
    try {
      for (int i = 0; i < line.size(); i++) {
        rows.set(i, claim(type, List.of(line.get(i))).rows().get(0));
      }
    } catch (RuntimeException e) { // a missing connection is no DataAccessException
      if (rows.stream().allMatch(List::isEmpty)) {
        throw e;
      }
      log.warn("some holds of {} get nothing this time: {}", type, e.toString());
    }
    return ClaimResult.incomplete(rows);
  }

  /** What an earlier delivery of the hold was given and still holds; empty if nothing. */
  private List<TaskRow> heldBefore(Hold hold) {
    return holds.find(hold).map(given -> stillHeld(hold, given)).orElse(List.of());
  }

  private List<TaskRow> stillHeld(Hold hold, HoldStore.StoredHold given) {
    Map<TaskTable, List<Long>> numbers = new TreeMap<>();
    for (TaskId id : given.ids()) {
      numbers.computeIfAbsent(id.table(), t -> new ArrayList<>()).add(id.number());
    }
    List<TaskRow> rows = new ArrayList<>();
    numbers.forEach((table, ids) -> rows.addAll(claims.held(table, ids, Set.of(given.traceId()))));
    if (rows.stream().noneMatch(TaskRow::isUnderLiveLease)) {
      holds.delete(hold, given.traceId());
      return List.of();
    }
    rows.sort(JointClaim.DUE_ORDER);
    return rows;
  }

  /** How many of each source are dealt out if nobody else takes any. */
  static Map<Source, Integer> plan(List<Head> heads, List<Claimant> line, int most) {
    Map<Source, Integer> plan = new LinkedHashMap<>();
    List<Head> due = heads.stream().filter(Head::isDue).sorted(HEAD_ORDER).toList();
    FairShare.deal(due, TaskClaimer::candidate, line, most)
        .forEach(share -> share.forEach(head -> plan.merge(head.source(), 1, Integer::sum)));
    return plan;
  }

  private static Candidate candidate(Head head) {
    return new Candidate(head.source().stage(), head.dueForMs());
  }

  /**
   * How long until one of the holds takes what it leaves to others now, because it prefers other
   * stages; empty if there is nothing of the kind.
   */
  static OptionalLong nextForOthersInMs(List<Head> heads, List<Claimant> line) {
    return heads.stream()
        .filter(Head::isDue)
        .flatMapToLong(
            head ->
                line.stream()
                    .filter(place -> place.limit() > 0 && place.takes(head.source().stage()))
                    .mapToLong(place -> place.patienceMs(head.source().stage()) - head.dueForMs()))
        .filter(ms -> ms > 0)
        .min();
  }

  /** One claim under way; for one thread. */
  private final class Attempt {

    private final TaskType type;
    private final List<ClaimRequest> line;
    private final List<List<TaskRow>> given = new ArrayList<>();
    private final Set<String> stages;

    Attempt(TaskType type, List<ClaimRequest> line) {
      this.type = type;
      this.line = line;
      this.stages = stagesOf(line);
      line.forEach(one -> given.add(List.of()));
    }

    /** All that any of the holds wants; empty if one of them wants any. */
    private static Set<String> stagesOf(List<ClaimRequest> line) {
      Set<String> all = new HashSet<>();
      for (ClaimRequest one : line) {
        if (one.hold().stages().isEmpty()) {
          return Set.of();
        }
        all.addAll(one.hold().stages());
      }
      return all;
    }

    ClaimResult run() {
      Optional<OnlyRange> busy = busyRange();
      if (busy.isPresent() && takeWithoutALook(busy.get())) {
        return ClaimResult.incomplete(given);
      }
      for (int round = 1; ; round++) {
        Look look = look();
        if (look.hasRepeats()) {
          repeatDeliveries();
        }
        if (!look.hasDue()) {
          return claim(look, true, looks.quietForMs(look, type, stages));
        }
        TaskTypeConfig config = types.require(type);
        if (config.paused()) {
          looks.stayAt(look);
          return new ClaimResult(given, SOON_MS, nCopies(line.size(), true));
        }
        Assignment assignment = take(config, most -> planFor(look, config, most));
        if (assignment.allowance().tasks() == 0) {
          looks.stayAt(look);
          return new ClaimResult(
              given, nextChanceInMs(look, config, assignment), nCopies(line.size(), true));
        }
        if (assignment.planned() == 0) { // what is due is left to others
          return claim(look, true, nextChanceInMs(look, config, assignment));
        }
        boolean isAll = assignment.tasks() == assignment.planned();
        if (isAll) {
          noteWhatIsLeft(look, assignment);
        }
        if (assignment.tasks() > 0 || round == ROUNDS) {
          return claim(look, isAll && !assignment.isCut(), looks.quietForMs(look, type, stages));
        }
      }
    }

    /**
     * What it came to after a look.
     *
     * @param isAll whether all that was planned was taken
     */
    private ClaimResult claim(Look look, boolean isAll, long againInMs) {
      Set<String> due = look.dueStages();
      List<Boolean> complete = line.stream().map(one -> isComplete(one, look, due, isAll)).toList();
      return new ClaimResult(given, againInMs, complete);
    }

    private static boolean isComplete(ClaimRequest one, Look look, Set<String> due, boolean isAll) {
      if (look.isUnderWay() || one.requireFresh() && look.turnBeganBefore(one.arrivedAt())) {
        return false;
      }
      boolean wasDue =
          one.hold().stages().isEmpty() ? !due.isEmpty() : !disjoint(due, one.hold().stages());
      return wasDue ? isAll : !one.requireFresh() || look.isWholeFor(one.hold().stages());
    }

    /**
     * What a choosy hold may have of a range is told by the look alone. And so is one that is
     * answered in any case, and takes nothing of the range: it would wait for as long as that is
     * busy.
     */
    private Optional<OnlyRange> busyRange() {
      if (line.stream().anyMatch(one -> one.hold().isChoosy())) {
        return Optional.empty();
      }
      return looks.busyRange(type, stages).filter(this::isForAllThatMustKnow);
    }

    private boolean isForAllThatMustKnow(OnlyRange busy) {
      String stage = busy.range().source().stage();
      return line.stream()
          .filter(ClaimRequest::requireFresh)
          .allMatch(one -> one.hold().takes(stage));
    }

    private long nextChanceInMs(Look look, TaskTypeConfig config, Assignment assignment) {
      long byTheLimits = assignment.allowance().nextInMs().orElse(SOON_MS);
      return Math.min(
          byTheLimits, nextForOthersInMs(look.heads(), claimants(config)).orElse(SOON_MS));
    }

    private boolean takeWithoutALook(OnlyRange busy) {
      TaskTypeConfig config = types.require(type);
      if (config.paused()) {
        return false;
      }
      int room = room(config, Set.of(busy.range().source().stage()));
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
      looks.tookFrom(busy, first, assignment.tasks() < assignment.planned() && !assignment.isCut());
      return true;
    }

    private Assignment take(TaskTypeConfig config, IntFunction<Map<Range, Integer>> plan) {
      Assignment assignment = joint.take(config, claimants(config), plan);
      for (int i = 0; i < given.size(); i++) {
        if (!assignment.shares().get(i).isEmpty()) {
          given.set(i, assignment.shares().get(i));
        }
      }
      return assignment;
    }

    private Map<Range, Integer> planFor(Look look, TaskTypeConfig config, int most) {
      Map<Source, Long> first = new HashMap<>();
      look.heads().forEach(head -> first.merge(head.source(), head.orderTime(), Math::min));
      Map<Range, Integer> plan = new LinkedHashMap<>();
      Map<Source, Integer> counts =
          plan(look.heads(), claimants(config), Math.min(most, MOST_TASKS));
      planMore(look, config, counts, most);
      counts.forEach((source, count) -> plan.put(new Range(source, first.get(source)), count));
      return plan;
    }

    /** As there is room for, where all that was seen of a source is planned, but not all seen. */
    private void planMore(Look look, TaskTypeConfig config, Map<Source, Integer> counts, int most) {
      int planned = counts.values().stream().mapToInt(Integer::intValue).sum();
      int left = Math.min(most, room(config, stages)) - planned;
      if (left <= 0 || look.seenInPart().isEmpty()) {
        return;
      }
      Map<Source, Long> seen = look.heads().stream().collect(groupingBy(Head::source, counting()));
      List<Source> sources =
          counts.keySet().stream()
              .filter(look.seenInPart()::contains)
              .filter(source -> counts.get(source).longValue() == seen.get(source))
              .toList();
      for (Source source : sources) {
        int ofStage = room(config, Set.of(source.stage())) - counts.get(source);
        counts.merge(source, Math.min(left / sources.size(), ofStage), Integer::sum);
      }
    }

    /** Looks no more often than necessary, but at everything before it says that nothing is due. */
    private Look look() {
      TaskTypeConfig config =
          types.known(type).orElseThrow(() -> new NoSuchTaskTypeException(type));
      List<HoldKey> unchecked =
          line.stream()
              .filter(one -> one.possibleRepeat() && one.hold().isRepeatable())
              .map(one -> one.hold().key())
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
              room(config, stages),
              requireFresh.stream().anyMatch(hold -> hold.stages().isEmpty()),
              unchecked);
      Look look = looks.look(request, false);
      boolean isEnough =
          look.hasDue() || requireFresh.stream().map(Hold::stages).allMatch(look::isWholeFor);
      return isEnough ? look : looks.look(request, true);
    }

    private int room(TaskTypeConfig config, Set<String> ofStages) {
      long room =
          claimants(config).stream()
              .filter(place -> ofStages.isEmpty() || ofStages.stream().anyMatch(place::takes))
              .mapToLong(Claimant::limit)
              .sum();
      return (int) Math.min(MOST_TASKS, room);
    }

    private List<Claimant> claimants(TaskTypeConfig config) {
      List<Claimant> claimants = new ArrayList<>();
      for (int i = 0; i < line.size(); i++) {
        Hold hold = line.get(i).hold();
        int limit = hold.limit() == 0 ? config.scheduleLimit() : hold.limit();
        claimants.add(new Claimant(hold, given.get(i).isEmpty() ? limit : 0));
      }
      return claimants;
    }

    private void repeatDeliveries() {
      for (int i = 0; i < line.size(); i++) {
        ClaimRequest one = line.get(i);
        if (one.possibleRepeat() && one.hold().isRepeatable() && given.get(i).isEmpty()) {
          given.set(i, heldBefore(one.hold()));
        }
      }
    }

    private void noteWhatIsLeft(Look look, Assignment assignment) {
      Map<Source, Range> ranges =
          look.ranges().stream().collect(toMap(Range::source, Function.identity()));
      Map<Source, List<Head>> heads = look.heads().stream().collect(groupingBy(Head::source));
      assignment
          .plan()
          .forEach(
              (range, count) -> {
                List<Head> seen = heads.get(range.source());
                if (count < seen.size() || !look.seenInPart().contains(range.source())) {
                  Range looked = ranges.get(range.source());
                  looks.isLeft(look, looked, seen.subList(count, seen.size()));
                }
              });
    }
  }
}
