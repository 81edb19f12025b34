package io.asyncflow.flowsvr.queue.due;

import static io.asyncflow.flowsvr.task.table.Freshness.KNOWN;
import static io.asyncflow.flowsvr.task.table.Freshness.NOW;
import static java.util.Collections.disjoint;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.queue.due.DueStore.Position;
import io.asyncflow.flowsvr.queue.due.DueStore.Seen;
import io.asyncflow.flowsvr.queue.due.WaitingSources.Part;
import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.index.Range;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.lane.LaneHeadStore;
import io.asyncflow.flowsvr.task.lane.LaneHeadStore.LaneHeads;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
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
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/**
 * Looks for due tasks without a lock, and remembers in the {@link DueMap} for a moment where
 * nothing was due, so that claims do not look there again.
 *
 * <p>A look makes a plan of what is known: which ranges of which sources have to be read. It reads
 * these in one statement, and then learns from what it has read. A look that names no stage reads
 * one part of the {@link WaitingSources} of the type after another, until a task is due, it has
 * seen all, or it has read {@value #MAX_PARTS} parts; the next look begins behind. Thread-safe.
 */
@Component
public class DueReader {

  /** The pause after a look at many parts that has seen nothing due. */
  private static final long TURN_PAUSE_MS = 1_000;

  /** The most parts of a look. Of more than these, each look reads others. */
  private static final int MAX_PARTS = 25;

  /** The most heads that a statement reads, approximately; a claim may take more than was seen. */
  private static final int MAX_HEADS = 2_000;

  /** The most sources that {@link #quietNow} asks for. */
  private static final int MAX_QUIET_SOURCES = 50;

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
      Set<String> paused) {

    private boolean requires(String stage) {
      return required.stream().anyMatch(stages -> stages.contains(stage));
    }
  }

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
   * @param readings what was read last, by the sources; in what was read before, nothing was due
   * @param leftOut the stages of which a range was left out because it was known to be quiet
   * @param lanes what waits in the lanes of the workers
   * @param behind the source behind which the last part begins; {@code null} if there is one part
   * @param isCut whether sources were not looked at: a task was due before, or there are too many
   * @param hasRepeats whether an earlier delivery of an unchecked hold was given tasks
   * @param newsSeen {@link DueMap#newsCount} before the look
   * @param at the {@link System#nanoTime()} at which it began
   */
  public record Look(
      Optional<Range> guess,
      Map<Source, Reading> readings,
      Set<String> leftOut,
      LaneHeads lanes,
      Source behind,
      boolean isCut,
      boolean hasRepeats,
      long newsSeen,
      long at) {

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
  }

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

  /** Whether {@link #quietNow} may have an answer, as far as is known. Reads no database. */
  public boolean mayBeQuiet(TaskType type, Set<String> stages) {
    TaskFamily family = families.find(type, KNOWN).orElse(null);
    return family != null
        && !family.hasLanes()
        && mapOf(type).mayCreatorAsk(node.nanoTime())
        && quietForMs(type, stages, NO_WORKER, Set.of()) > 0;
  }

  /**
   * The database's epoch ms, if nothing is due in the open lane of these stages, wherever it was
   * committed before this call. One statement, without locks; none if a look is needed anyway, or
   * if there are too many sources.
   *
   * @param stages at least one
   * @return empty if something is due, or may be; also if the type has lanes
   */
  public OptionalLong quietNow(TaskType type, Set<String> stages) {
    TaskFamily family = families.find(type, KNOWN).orElse(null);
    if (family == null
        || family.live().size() * stages.size() > MAX_QUIET_SOURCES
        || quietForMs(type, stages, NO_WORKER, Set.of()) == 0) {
      return OptionalLong.empty();
    }
    long begin = node.nanoTime();
    OptionalLong quiet = store.quietNow(family, stages);
    mapOf(type).creatorAsked(node.nanoTime() - begin, node.nanoTime());
    return quiet;
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
    TaskFamily family = families.find(type, KNOWN).orElse(null);
    if (family == null || family.hasLanes() && !workerId.isEmpty()) {
      return 0;
    }
    DueMap known = mapOf(type);
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
    long open = look.behind() == null ? quietForMs(type, stages, NO_WORKER, paused) : TURN_PAUSE_MS;
    return look.lanes().heads().values().stream().mapToLong(Head::dueInMs).reduce(open, Math::min);
  }

  /**
   * Records that a claim has taken tasks from a guessed range.
   *
   * @param first the task that was due first
   * @param isExhausted whether the claim took all due tasks of the range
   */
  public void recordGuess(Look look, Head first, boolean isExhausted) {
    Range range = look.guess().orElseThrow();
    DueMap known = mapOf(range.source().table().type());
    known.saw(range, List.of(first), look.newsSeen(), look.at());
    if (isExhausted) {
      known.exhausted(range);
    }
  }

  /**
   * Records a range: what a look saw in it, or what a claim has left of that. Of a look at a part
   * of the sources only those are recorded that holds name: looks at many parts read all anyway,
   * and every create would pay for so many hints. Of lanes none is recorded: each look finds those
   * in which tasks are due.
   */
  public void record(Look look, Range range, List<Head> heads) {
    Source source = range.source();
    DueMap known = mapOf(source.table().type());
    if (source.isOpen() && (look.behind() == null || known.knows(source))) {
      known.saw(range, heads, look.newsSeen(), look.at());
    }
  }

  /** Makes the next look begin with what this one has seen, because its claim took nothing. */
  public void repeatLook(Look look) {
    if (look.behind() != null) {
      mapOf(look.behind().table().type()).waiting().goOnBehind(look.behind());
    }
  }

  /**
   * Looks at all sources that are not known to be quiet. Looks a second time, at everything, before
   * a hold that is answered in any case is told that nothing is due.
   */
  public Look look(LookRequest request) {
    Look look = look(request, familyOf(request.type()), false);
    boolean isEnough = look.hasDue() || request.required().stream().allMatch(look::isWholeFor);
    return isEnough ? look : look(request, familyOf(request.type()), true);
  }

  private TaskFamily familyOf(TaskType type) {
    return families.find(type, KNOWN).orElseGet(() -> families.of(type));
  }

  /**
   * Looks; again if the type's live tables have changed, or it has its first lane.
   *
   * @param whole whether to look at all sources, whatever is known
   */
  private Look look(LookRequest request, TaskFamily family, boolean whole) {
    Look look =
        request.stages().isEmpty()
            ? lookAtParts(request, family, whole)
            : lookOnce(request, family, null, LaneHeads.NONE, whole, true);
    return look == null
        ? look(request, families.find(request.type(), NOW).orElse(family), whole)
        : look;
  }

  private Look lookAtParts(LookRequest request, TaskFamily family, boolean whole) {
    DueMap known = mapOf(request.type());
    Source begin = null;
    boolean isRound = false;
    LaneHeads lanes = LaneHeads.NONE;
    for (int i = 1; ; i++) {
      Part part = nextPart(family, known, whole);
      begin = begin == null ? part.began() : begin;
      isRound |= part.isFirst();
      boolean isLast = isRound && (part.last() == null || part.sources().contains(begin));
      Look look = lookOnce(request, family, part, lanes, whole, isLast);
      if (look == null || look.hasDue() || !look.isCut() || i == MAX_PARTS) {
        return look;
      }
      lanes = look.lanes();
    }
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

  /**
   * Looks once.
   *
   * @param part the sources; {@code null} for those that the request names
   * @param before what waits in the lanes of the parts before
   * @param isLast whether all sources have been seen then
   * @return {@code null} if it is known by now that the type has other live tables, or its first
   *     lane
   */
  private Look lookOnce(
      LookRequest request,
      TaskFamily family,
      Part part,
      LaneHeads before,
      boolean whole,
      boolean isLast) {
    DueMap known = mapOf(request.type());
    long at = node.nanoTime();
    long newsSeen = known.newsCount();
    boolean isAll = part == null || part.isAll();
    Set<Source> sources = new LinkedHashSet<>(named(family, request.stages()));
    if (part != null) {
      sources.addAll(part.sources());
      sources.addAll(known.waiting().begin(part));
      sources.removeIf(source -> !family.live().contains(source.table()));
    }
    sources.removeIf(source -> request.paused().contains(source.stage()));
    Map<String, Set<String>> workers = family.hasLanes() ? request.workers().get() : Map.of();
    LaneHeads lanes = workers.isEmpty() ? LaneHeads.NONE : laneHeads.heads(sources, workers);
    Plan plan = Plan.of(request, known, sources, lanes, whole || !isAll, at);
    Seen seen = Seen.NOTHING;
    // Of a type in which nothing waits, a look reads at least its live tables.
    boolean mayBeNew =
        sources.isEmpty() && request.paused().isEmpty() && request.required().contains(Set.of());
    if (plan.guess().isEmpty()
        && (!plan.limits().isEmpty() || !request.unchecked().isEmpty() || mayBeNew)) {
      seen = store.look(request.type(), plan.limits(), request.unchecked());
    }
    Map<Source, List<Head>> heads = seen.heads().stream().collect(groupingBy(Head::source));
    Map<Source, Reading> readings = new LinkedHashMap<>();
    plan.limits()
        .forEach(
            (range, limit) -> {
              List<Head> ofRange = heads.getOrDefault(range.source(), List.of());
              readings.put(range.source(), new Reading(range, ofRange, ofRange.size() >= limit));
            });
    Look look =
        new Look(
            plan.guess(),
            readings,
            plan.leftOut(),
            before.and(lanes),
            isAll ? null : part.began(),
            !isLast,
            seen.hasRepeats(),
            newsSeen,
            at);
    if (plan.guess().isPresent()) {
      return look;
    }
    readings.values().forEach(reading -> record(look, reading.range(), reading.heads()));
    known.retain(family.live(), at);
    if (part != null) {
      known.waiting().goOnBehind(part.last());
    }
    if (!Position.isOther(seen.tables(), family)) {
      return look;
    }
    repeatLook(look); // the next look sees its due tasks again
    TaskFamily present = families.find(request.type(), NOW).orElse(family);
    return Position.isOther(seen.tables(), present) ? look : null;
  }

  private static List<Source> named(TaskFamily family, Set<String> stages) {
    return family.live().stream()
        .flatMap(table -> stages.stream().map(stage -> new Source(table, stage)))
        .toList();
  }

  /**
   * Which ranges a look reads.
   *
   * @param guess the only range to claim from, if nothing needs to be read
   * @param limits how many heads of each range
   * @param leftOut the stages of which a range is left out
   */
  private record Plan(Optional<Range> guess, Map<Range, Integer> limits, Set<String> leftOut) {

    /**
     * @param whole whether all sources are read from their beginning
     */
    static Plan of(
        LookRequest request,
        DueMap known,
        Set<Source> sources,
        LaneHeads lanes,
        boolean whole,
        long at) {
      List<Range> ranges = new ArrayList<>();
      List<Source> quiet = new ArrayList<>();
      Set<String> leftOut = new HashSet<>();
      Set<String> busy = new HashSet<>();
      for (Source source : sources) {
        Range range = whole ? Range.whole(source) : known.rangeOf(source, at).orElse(null);
        if (range == null) {
          quiet.add(source);
          continue;
        }
        ranges.add(range);
        busy.add(source.stage());
        if (!range.isWhole()) {
          leftOut.add(source.stage());
          known.claimedFrom(source, at);
        }
      }
      List<Range> ofLanes =
          lanes.heads().values().stream()
              .filter(Head::isDue)
              .map(head -> new Range(head.source(), head.orderTime()))
              .toList();
      if (request.mayGuess() && ofLanes.isEmpty() && isOnlyBusyOne(known, ranges, request)) {
        return new Plan(Optional.of(ranges.get(0)), Map.of(), leftOut);
      }
      ranges.addAll(ofLanes);
      // In a quiet range most likely nothing is due, and one head is enough to know. It begins
      // where claims begin, if the source was read from its beginning within the last second: other
      // holds wait for this look, and at the beginning it would read all delete-marked entries.
      List<Range> brief = new ArrayList<>();
      for (Source source : quiet) {
        if (request.requires(source.stage()) && !busy.contains(source.stage())) {
          brief.add(known.requiredRange(source, at));
        } else {
          leftOut.add(source.stage());
        }
      }
      int all = Math.max(1, ranges.size() + brief.size());
      int most = Math.max(1, Math.min(request.limit(), MAX_HEADS / all));
      Map<Range, Integer> limits = new LinkedHashMap<>();
      ranges.forEach(range -> limits.put(range, most));
      brief.forEach(range -> limits.put(range, 1));
      return new Plan(Optional.empty(), limits, leftOut);
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
  }
}
