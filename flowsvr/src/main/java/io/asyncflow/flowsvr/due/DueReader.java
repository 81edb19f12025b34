package io.asyncflow.flowsvr.due;

import static io.asyncflow.flowsvr.tasktable.Freshness.KNOWN;
import static io.asyncflow.flowsvr.tasktable.Freshness.NOW;
import static java.util.Collections.disjoint;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.due.DueStore.Position;
import io.asyncflow.flowsvr.due.DueStore.Seen;
import io.asyncflow.flowsvr.due.WaitingSources.Part;
import io.asyncflow.flowsvr.index.Head;
import io.asyncflow.flowsvr.index.Range;
import io.asyncflow.flowsvr.index.Source;
import io.asyncflow.flowsvr.lane.LaneHeadStore;
import io.asyncflow.flowsvr.lane.LaneHeadStore.LaneHeads;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktable.TaskFamily;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/**
 * Looks for due tasks without a lock, and remembers in the {@link DueMap} for a moment where
 * nothing was due, so that claims do not look there again.
 *
 * <p>A look at named stages is one statement. A look that names none reads one part of the {@link
 * WaitingSources} of the type, and the next look the part behind it. A hold is answered that
 * nothing is due only after a whole turn that began after the hold arrived has seen nothing due.
 * Thread-safe.
 */
@Component
public class DueReader {

  /** The pause after a turn that has seen nothing due. */
  private static final long TURN_PAUSE_MS = 1_000;

  /** The most heads that a look reads, approximately; a claim may take more than it has seen. */
  private static final int MAX_HEADS = 2_000;

  private static final String NO_WORKER = "";

  private final DueStore store;
  private final LaneHeadStore laneHeads;
  private final TaskFamilies families;
  private final Node node;
  private final Map<TaskType, DueMap> maps = new ConcurrentHashMap<>();

  DueReader(DueStore store, LaneHeadStore laneHeads, TaskFamilies families, Node node) {
    this.store = store;
    this.laneHeads = laneHeads;
    this.families = families;
    this.node = node;
  }

  /**
   * What a look reads.
   *
   * @param stages the stages; empty for all
   * @param required the stages, empty for all, of each hold that is answered in any case: a look at
   *     them must not rely on what is known
   * @param limit the most heads of each source
   * @param mayGuess whether nothing needs to be read if only one range is to be claimed from, which
   *     was busy a moment ago
   * @param unchecked holds for which {@code t_hold} has not been read yet
   * @param workers the stages that each worker takes, empty for all; asked for only if the type has
   *     lanes
   * @param paused stages that are left out
   */
  public record LookRequest(
      TaskType type,
      Set<String> stages,
      List<Set<String>> required,
      int limit,
      boolean mayGuess,
      Collection<HoldKey> unchecked,
      Supplier<Map<String, Set<String>>> workers,
      Set<String> paused) {}

  /**
   * What a look saw in a range.
   *
   * @param heads the first waiting tasks, in order
   * @param mayHaveMore whether there may be more than these
   */
  public record Reading(Range range, List<Head> heads, boolean mayHaveMore) {}

  /**
   * What a look saw.
   *
   * @param guess the only range to claim from, if nothing was read
   * @param readings what was read, by the sources
   * @param leftOut the stages of which a range was left out because it was known to be quiet
   * @param lanes what waits in the lanes of the workers
   * @param turn the part of the sources that was looked at; empty if all sources were
   * @param hasRepeats whether an earlier delivery of an unchecked hold was given tasks
   * @param newsSeen {@link DueMap#newsCount} before the look
   * @param at the {@link System#nanoTime()} at which it began
   */
  public record Look(
      Optional<Range> guess,
      Map<Source, Reading> readings,
      Set<String> leftOut,
      LaneHeads lanes,
      Optional<Turn> turn,
      boolean hasRepeats,
      long newsSeen,
      long at) {

    private static Look guess(Range range, long newsSeen, long at) {
      return new Look(
          Optional.of(range),
          Map.of(),
          Set.of(),
          LaneHeads.NONE,
          Optional.empty(),
          false,
          newsSeen,
          at);
    }

    /** The heads of all ranges. */
    public List<Head> heads() {
      return all().toList();
    }

    private Stream<Head> all() {
      return readings.values().stream().flatMap(reading -> reading.heads().stream());
    }

    public boolean hasDue() {
      return guess.isPresent() || all().anyMatch(Head::isDue);
    }

    public Set<String> dueStages() {
      return all().filter(Head::isDue).map(head -> head.source().stage()).collect(toSet());
    }

    /** Whether no range of these stages was left out; an empty set means all stages. */
    public boolean isWholeFor(Set<String> stages) {
      return stages.isEmpty() ? leftOut.isEmpty() : disjoint(leftOut, stages);
    }

    /**
     * Whether the turn has not ended yet, so that a hold cannot be answered that nothing is due.
     */
    public boolean isUnderWay() {
      return lanes.isCut() || turn.filter(Turn::isUnderWay).isPresent();
    }

    /** Whether the turn began before this time. */
    public boolean turnBeganBefore(long time) {
      return turn.filter(seen -> seen.beganAt() - time < 0).isPresent();
    }
  }

  /**
   * A look at a part of the sources.
   *
   * @param began the source behind which the look began
   * @param news sources with new tasks that the look saw ahead of their place in the turn
   * @param isUnderWay whether sources remain, or something was due in the turn
   * @param beganAt the {@link System#nanoTime()} at which the turn began
   */
  public record Turn(Source began, Set<Source> news, boolean isUnderWay, long beganAt) {}

  /** What is known of each type that has been looked at. */
  Map<TaskType, DueMap> maps() {
    return maps;
  }

  DueMap mapOf(TaskType type) {
    return maps.computeIfAbsent(type, t -> new DueMap());
  }

  /** Takes in news: tasks may have become claimable. */
  public void on(TasksWaiting news) {
    DueMap known = maps.get(news.type());
    if (known != null) {
      known.on(news);
    }
  }

  /**
   * How long nothing is due, as far as is known. Reads no database.
   *
   * @param workerId the worker; empty for none. What waits in its lanes is not known
   * @param paused stages that are left out; with any, the answer is at most a second, because the
   *     pause may end
   * @return milliseconds; 0 if a look is needed now
   */
  public long quietForMs(TaskType type, Set<String> stages, String workerId, Set<String> paused) {
    return families
        .find(type, KNOWN)
        .filter(family -> !family.hasLanes() || workerId.isEmpty())
        .map(family -> quietForMs(family, stages, paused))
        .orElse(0L);
  }

  private long quietForMs(TaskFamily family, Set<String> stages, Set<String> paused) {
    DueMap known = mapOf(family.type());
    long now = node.nanoTime();
    Collection<Source> sources = named(family, stages);
    long next = Long.MAX_VALUE;
    if (stages.isEmpty()) {
      Part all = known.waiting().all(family.live(), now).orElse(null);
      sources = all == null ? List.of() : all.sources();
      next = all == null ? 0 : all.knownUntil() - now;
    }
    sources = sources.stream().filter(source -> !paused.contains(source.stage())).toList();
    next = Math.min(next, known.nextLook(sources, now));
    long ms = TimeUnit.NANOSECONDS.toMillis(next + 999_999);
    return paused.isEmpty() ? ms : Math.min(ms, TURN_PAUSE_MS);
  }

  /**
   * As {@link #quietForMs(TaskType, Set, String, Set)}, after a look that saw nothing due or whose
   * due tasks were all taken.
   */
  public long quietForMs(Look look, TaskType type, Set<String> stages, Set<String> paused) {
    long open =
        look.turn().isPresent() ? TURN_PAUSE_MS : quietForMs(type, stages, NO_WORKER, paused);
    return look.lanes().heads().values().stream().mapToLong(Head::dueInMs).reduce(open, Math::min);
  }

  /**
   * Records that a claim has taken tasks from a guessed range.
   *
   * @param first the task that was due first
   * @param isExhausted whether the claim took all due tasks of the range
   */
  public void recordGuess(Look look, TaskRow first, boolean isExhausted) {
    Range range = look.guess().orElseThrow();
    DueMap known = mapOf(first.id().type());
    Head head = new Head(range.source(), first.id().number(), first.orderTime(), first.now());
    known.saw(range, List.of(head), look.newsSeen(), look.at());
    if (isExhausted) {
      known.exhausted(range);
    }
  }

  /**
   * Records a range: what a look saw in it, or what a claim has left of that. Of a look at a part
   * of the sources only those are recorded that holds name: each source is looked at once a turn
   * anyway, and every create would pay for so many hints. Of lanes none is recorded: each look
   * finds those in which tasks are due.
   */
  public void record(Look look, Range range, List<Head> heads) {
    Source source = range.source();
    DueMap known = mapOf(source.table().type());
    if (source.isOpen() && (look.turn().isEmpty() || known.knows(source))) {
      known.saw(range, heads, look.newsSeen(), look.at());
    }
  }

  /** Makes the next look see what this one has seen, because its claim took nothing. */
  public void repeatLook(Look look) {
    look.turn()
        .ifPresent(
            turn ->
                mapOf(turn.began().table().type())
                    .waiting()
                    .resumeBehind(turn.began(), turn.news()));
  }

  /**
   * Looks at all sources that are not known to be quiet. Looks a second time, at everything, before
   * a hold that is answered in any case is told that nothing is due.
   */
  public Look look(LookRequest request) {
    Look look = look(familyOf(request.type()), request, false);
    boolean isEnough = look.hasDue() || request.required().stream().allMatch(look::isWholeFor);
    return isEnough ? look : look(familyOf(request.type()), request, true);
  }

  private TaskFamily familyOf(TaskType type) {
    return families.find(type, KNOWN).orElseGet(() -> families.of(type));
  }

  /**
   * Looks once; again if the type's live tables have changed, or it has its first lane.
   *
   * @param whole whether to look at all sources, whatever is known
   */
  private Look look(TaskFamily family, LookRequest request, boolean whole) {
    DueMap known = mapOf(request.type());
    long at = node.nanoTime();
    long newsSeen = known.newsCount();
    Part part = request.stages().isEmpty() ? nextPart(family, known, whole) : null;
    Set<Source> news = part == null ? Set.of() : known.waiting().begin(part, at);
    boolean isAll = part == null || part.isAll();
    Set<Source> sources = new LinkedHashSet<>(named(family, request.stages()));
    if (part != null) {
      sources.addAll(part.sources());
      sources.addAll(news);
      sources.removeIf(source -> !family.live().contains(source.table()));
    }
    sources.removeIf(source -> request.paused().contains(source.stage()));
    List<Range> ranges = new ArrayList<>();
    Set<String> leftOut = new HashSet<>();
    for (Source source : sources) {
      Range range = whole || !isAll ? Range.whole(source) : known.rangeOf(source, at).orElse(null);
      if (range != null) {
        ranges.add(range);
      }
      if (range == null || !range.isWhole()) {
        leftOut.add(source.stage());
      }
      if (range != null && !range.isWhole()) {
        known.claimedFrom(source, at);
      }
    }
    Map<String, Set<String>> workers = family.hasLanes() ? request.workers().get() : Map.of();
    LaneHeads lanes = workers.isEmpty() ? LaneHeads.NONE : laneHeads.heads(sources, workers);
    List<Head> dueInLanes = lanes.heads().values().stream().filter(Head::isDue).toList();
    if (request.mayGuess() && dueInLanes.isEmpty() && isOnlyBusyOne(known, ranges, request)) {
      return Look.guess(ranges.get(0), newsSeen, at);
    }
    Set<Range> quiet = quietRequired(request, family, known, ranges, leftOut, at);
    dueInLanes.forEach(head -> ranges.add(new Range(head.source(), head.orderTime())));
    ranges.addAll(quiet);
    // Of a type in which nothing waits, a look reads at least its live tables.
    boolean isQuiet =
        ranges.isEmpty()
            && request.unchecked().isEmpty()
            && (!leftOut.isEmpty()
                || isAll
                    && (!request.paused().isEmpty() || !request.required().contains(Set.of())));
    int most = Math.max(1, Math.min(request.limit(), MAX_HEADS / Math.max(1, ranges.size())));
    // In a quiet range most likely nothing is due, and one head is enough to know.
    ToIntFunction<Range> limit = range -> quiet.contains(range) ? 1 : most;
    Seen seen = Seen.NOTHING;
    try {
      if (!isQuiet) {
        seen = store.look(request.type(), ranges, limit, request.unchecked());
      }
    } catch (RuntimeException e) {
      known.waiting().returnNew(news);
      throw e;
    }
    Map<Source, List<Head>> heads = seen.heads().stream().collect(groupingBy(Head::source));
    Map<Source, Reading> readings = new LinkedHashMap<>();
    for (Range range : ranges) {
      List<Head> ofRange = heads.getOrDefault(range.source(), List.of());
      boolean mayHaveMore = ofRange.size() >= limit.applyAsInt(range);
      readings.put(range.source(), new Reading(range, ofRange, mayHaveMore));
    }
    Look look =
        new Look(
            Optional.empty(),
            readings,
            leftOut,
            lanes,
            isAll ? Optional.empty() : Optional.of(turn(part, news, known.waiting(), seen)),
            seen.hasRepeats(),
            newsSeen,
            at);
    readings.values().forEach(reading -> record(look, reading.range(), reading.heads()));
    known.retain(family.live(), at);
    if (!Position.isOther(seen.tables(), family)) {
      return look;
    }
    repeatLook(look); // the next look sees its due tasks again
    TaskFamily present = families.find(request.type(), NOW).orElse(family);
    return Position.isOther(seen.tables(), present) ? look : look(present, request, whole);
  }

  private static List<Source> named(TaskFamily family, Set<String> stages) {
    return family.live().stream()
        .flatMap(table -> stages.stream().map(stage -> new Source(table, stage)))
        .toList();
  }

  private Part nextPart(TaskFamily family, DueMap known, boolean whole) {
    WaitingSources waiting = known.waiting();
    List<TaskTable> live = family.live();
    long at = node.nanoTime();
    if (whole && waiting.all(live, at).isPresent()) {
      waiting.forget();
    }
    return waiting
        .next(live, at)
        .orElseGet(
            () -> {
              long timesForgotten = waiting.timesForgotten();
              Source behind = waiting.position(live);
              return waiting.saw(
                  behind, store.waitingSources(live, behind), live, timesForgotten, at);
            });
  }

  private static boolean isOnlyBusyOne(DueMap known, List<Range> ranges, LookRequest request) {
    if (ranges.size() != 1 || ranges.get(0).isWhole()) {
      return false;
    }
    Source source = ranges.get(0).source();
    return known.isBusy(source)
        && request.required().stream()
            .allMatch(stages -> stages.isEmpty() || stages.contains(source.stage()));
  }

  /**
   * The ranges of required stages that are quiet, or unknown, in all tables. A range begins where
   * claims begin, if the source was read from its beginning within the last second: other holds
   * wait for this look, and at the beginning it would read all delete-marked entries.
   */
  private static Set<Range> quietRequired(
      LookRequest request,
      TaskFamily family,
      DueMap known,
      List<Range> ranges,
      Set<String> leftOut,
      long at) {
    Set<Range> found = new LinkedHashSet<>();
    if (leftOut.isEmpty()) {
      return found;
    }
    Set<String> quiet = new HashSet<>();
    request.required().forEach(quiet::addAll);
    quiet.removeAll(request.paused());
    ranges.forEach(range -> quiet.remove(range.source().stage()));
    leftOut.removeAll(quiet);
    for (Source source : named(family, quiet)) {
      found.add(known.requiredRange(source, at));
    }
    return found;
  }

  private static Turn turn(Part part, Set<Source> news, WaitingSources waiting, Seen seen) {
    boolean hasDue = seen.heads().stream().anyMatch(Head::isDue);
    boolean isUnderWay = waiting.lookedUpTo(part.last(), hasDue);
    return new Turn(part.began(), news, isUnderWay, waiting.beganAt());
  }
}
