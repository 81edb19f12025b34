package io.asyncflow.flowsvr.due;

import static io.asyncflow.flowsvr.tasktable.Freshness.KNOWN;
import static io.asyncflow.flowsvr.tasktable.Freshness.NOW;
import static java.util.Collections.disjoint;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.due.DueStore.Position;
import io.asyncflow.flowsvr.due.DueStore.Seen;
import io.asyncflow.flowsvr.due.DueStore.Sources;
import io.asyncflow.flowsvr.index.Head;
import io.asyncflow.flowsvr.index.Range;
import io.asyncflow.flowsvr.index.Source;
import io.asyncflow.flowsvr.lane.LaneHeadStore;
import io.asyncflow.flowsvr.lane.LaneHeadStore.LaneHead;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.springframework.stereotype.Component;

/**
 * Looks for due tasks without a lock, and remembers in the {@link DueMap} for a moment where
 * nothing was due, so that claims do not look there again.
 *
 * <p>A look at named stages is one statement. Stages are free text: if the tasks of a type wait for
 * more stages than {@link DueStore#SOURCES_A_LOOK}, a look that names none sees a part of the
 * sources, and the next look continues behind it. The looks from the first source to the last are a
 * turn. A hold is answered that nothing is due only after a whole turn that began after the hold
 * arrived has seen nothing due. Thread-safe.
 */
@Component
public class DueLook {

  /** The pause after a turn that has seen nothing due. */
  private static final long TURN_PAUSE_MS = 1_000;

  /** The most heads that a look reads, approximately; a claim may take more than it has seen. */
  private static final int MAX_HEADS = 2_000;

  private static final String NO_WORKER = "";

  /** The stages of a worker that did not ask; no stage is called so. */
  private static final Set<String> NOTHING = Set.of("");

  private final DueStore store;
  private final LaneHeadStore laneHeads;
  private final TaskFamilies families;
  private final Node node;
  private final DueMaps maps;

  DueLook(DueStore store, LaneHeadStore laneHeads, DueMaps maps, TaskFamilies families, Node node) {
    this.store = store;
    this.laneHeads = laneHeads;
    this.families = families;
    this.node = node;
    this.maps = maps;
  }

  /**
   * What a look reads.
   *
   * @param stages the stages; empty for all
   * @param requiredStages those of the stages that are looked at even if they are known to be quiet
   * @param limit the most heads of each source
   * @param requireFresh whether the answer to a hold that names no stage must not rely on the scan
   *     for the stages that there are
   * @param unchecked holds for which {@code t_hold} has not been read yet
   * @param workers the stages that each worker takes, empty for all; asked for only if the type has
   *     lanes
   * @param paused stages that are left out
   */
  public record LookRequest(
      TaskType type,
      Set<String> stages,
      Set<String> requiredStages,
      int limit,
      boolean requireFresh,
      Collection<HoldKey> unchecked,
      Supplier<Map<String, Set<String>>> workers,
      Set<String> paused) {}

  /**
   * What a look saw.
   *
   * @param ranges the ranges that were read
   * @param heads the first waiting tasks of each range, in order within each
   * @param seenInPart the sources that may have more tasks than were seen
   * @param leftOut the stages of which a range was left out because it was known to be quiet
   * @param lanes the lanes in which tasks wait for the workers
   * @param turn the part of the sources that was looked at; empty if all sources were
   * @param hasRepeats whether an earlier delivery of an unchecked hold was given tasks
   * @param isOfOldTables whether the type's live tables have changed, or it has its first lane
   * @param newsSeen {@link DueMap#newsCount} before the look
   * @param at the {@link System#nanoTime()} at which it began
   */
  public record Look(
      List<Range> ranges,
      List<Head> heads,
      Set<Source> seenInPart,
      Set<String> leftOut,
      Lanes lanes,
      Optional<Turn> turn,
      boolean hasRepeats,
      boolean isOfOldTables,
      long newsSeen,
      long at) {

    public boolean hasDue() {
      return heads.stream().anyMatch(Head::isDue);
    }

    public Set<String> dueStages() {
      return heads.stream().filter(Head::isDue).map(head -> head.source().stage()).collect(toSet());
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

  /**
   * The lanes in which tasks wait for workers, due now or soon.
   *
   * @param wereAsked whether the type has lanes and workers asked; if not, nothing was read
   * @param heads the first task of each source
   * @param ofWorker the lanes of each worker that are among these
   * @param isCut whether there may be more
   */
  public record Lanes(
      boolean wereAsked,
      Map<Source, Head> heads,
      Map<String, Set<String>> ofWorker,
      boolean isCut) {

    public static final Lanes NONE = new Lanes(false, Map.of(), Map.of(), false);

    private List<Head> due() {
      return heads.values().stream().filter(Head::isDue).toList();
    }
  }

  /** The only range to claim from, which was busy a moment ago. */
  public record OnlyRange(Range range, long newsSeen, long at) {}

  /** Takes in news: tasks may have become claimable. */
  public void on(TasksWaiting news) {
    maps.known(news.type()).ifPresent(known -> known.on(news));
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
    long ms = toMs(maps.of(family.type()).nextLook(family.live(), stages, paused, node.nanoTime()));
    return paused.isEmpty() ? ms : Math.min(ms, TURN_PAUSE_MS);
  }

  /**
   * As {@link #quietForMs(TaskType, Set, String, Set)}, after a look that saw nothing due or whose
   * due tasks were all taken.
   */
  public long quietForMs(Look look, TaskType type, Set<String> stages, Set<String> paused) {
    long open =
        look.turn().isPresent() ? TURN_PAUSE_MS : quietForMs(type, stages, NO_WORKER, paused);
    if (!look.lanes().wereAsked()) {
      return open;
    }
    long next = Math.min(open, LaneHeadStore.HORIZON_MS);
    for (Head head : look.lanes().heads().values()) {
      next = Math.min(next, Math.max(0, -head.dueForMs()));
    }
    return next;
  }

  /**
   * The range to claim from without a look; empty if it is not certain which one, or if a task is
   * due in a lane of the workers.
   *
   * @param workers as in {@link LookRequest}
   * @param paused as in {@link LookRequest}
   */
  public Optional<OnlyRange> busyRange(
      TaskType type,
      Set<String> stages,
      Supplier<Map<String, Set<String>>> workers,
      Set<String> paused) {
    DueMap known = maps.of(type);
    TaskFamily family = families.find(type, KNOWN).orElse(null);
    if (family == null) {
      return Optional.empty();
    }
    long at = node.nanoTime();
    long newsSeen = known.newsCount();
    List<Range> ranges = new ArrayList<>();
    List<Source> sources = new ArrayList<>();
    for (TaskTable table : family.live()) {
      Collection<String> names = stages.isEmpty() ? known.stagesOf(table, at).orElse(null) : stages;
      if (names == null) {
        return Optional.empty();
      }
      names.forEach(stage -> sources.add(new Source(table, stage)));
    }
    if (!paused.isEmpty()) {
      sources.removeIf(source -> paused.contains(source.stage()));
    }
    sources.forEach(source -> known.rangeOf(source, at).ifPresent(ranges::add));
    boolean isBusy =
        ranges.size() == 1 && !ranges.get(0).isWhole() && known.isBusy(ranges.get(0).source());
    if (!isBusy || !lanes(family, sources, workers).due().isEmpty()) {
      return Optional.empty();
    }
    known.claimedFrom(ranges.get(0).source(), at);
    return Optional.of(new OnlyRange(ranges.get(0), newsSeen, at));
  }

  /**
   * Records that a claim has taken tasks from a busy range.
   *
   * @param first the task that was due first
   * @param isExhausted whether the claim took all due tasks of the range
   */
  public void recordClaim(OnlyRange busy, TaskRow first, boolean isExhausted) {
    Source source = busy.range().source();
    DueMap known = maps.of(source.table().type());
    Head head = new Head(source, first.id().number(), first.orderTime(), first.now());
    known.saw(busy.range(), List.of(head), busy.newsSeen(), busy.at());
    if (isExhausted) {
      known.exhausted(busy.range());
    }
  }

  /** Records the tasks that a claim has left of those that a look saw in a source. */
  public void recordRemaining(Look look, Range range, List<Head> remaining) {
    note(maps.of(range.source().table().type()), look, range, remaining);
  }

  /**
   * Records a range. Of a look at a part of the sources only those are recorded that holds name:
   * each source is looked at once a turn anyway, and every create would pay for so many hints. Of
   * lanes none is recorded: each look finds those in which tasks are due.
   */
  private static void note(DueMap known, Look look, Range range, List<Head> heads) {
    if (range.source().isOpen() && (look.turn().isEmpty() || known.knows(range.source()))) {
      known.saw(range, heads, look.newsSeen(), look.at());
    }
  }

  /** Makes the next look see what this one has seen, because its claim took nothing. */
  public void repeatLook(Look look) {
    look.turn()
        .ifPresent(
            turn ->
                maps.of(turn.began().table().type())
                    .turns()
                    .resumeBehind(turn.began(), turn.news()));
  }

  /**
   * Looks at all sources that are not known to be quiet.
   *
   * @param whole whether to look at all sources, whatever is known
   */
  public Look look(LookRequest request, boolean whole) {
    TaskFamily family =
        families.find(request.type(), KNOWN).orElseGet(() -> families.of(request.type()));
    Look look = lookAt(family, request, whole);
    if (!look.isOfOldTables()) {
      return look;
    }
    repeatLook(look); // the next look sees its due tasks again
    return lookAt(families.find(request.type(), NOW).orElse(family), request, whole);
  }

  private Look lookAt(TaskFamily family, LookRequest request, boolean whole) {
    DueMap known = maps.of(request.type());
    long at = node.nanoTime();
    long newsSeen = known.newsCount();
    Part part = partOf(family, request, known, whole);
    List<Range> ranges = new ArrayList<>();
    Set<String> leftOut = new HashSet<>();
    Collection<Source> sources = without(request.paused(), part.sources(), Source::stage);
    Collection<String> required =
        without(request.paused(), request.requiredStages(), Function.identity());
    for (Source source : sources) {
      Optional<Range> range =
          whole || !part.isAll() ? Optional.of(Range.whole(source)) : known.rangeOf(source, at);
      range.ifPresent(ranges::add);
      if (range.filter(Range::isWhole).isEmpty()) {
        leftOut.add(source.stage());
      }
      if (range.isPresent() && !range.get().isWhole()) {
        known.claimedFrom(source, at);
      }
    }
    Lanes lanes = lanes(family, sources, request.workers());
    Set<Range> quiet = quietRequired(required, family, known, ranges, leftOut, at);
    lanes.due().forEach(head -> ranges.add(new Range(head.source(), head.orderTime())));
    ranges.addAll(quiet);
    boolean isPaused = !request.paused().isEmpty();
    boolean isKnownEmpty = part.sources().isEmpty() && part.isAll() && !request.requireFresh();
    boolean isQuiet =
        ranges.isEmpty()
            && request.unchecked().isEmpty()
            && (!leftOut.isEmpty() || isPaused && part.isAll() || isKnownEmpty && !whole);
    int most = Math.max(1, Math.min(request.limit(), MAX_HEADS / Math.max(1, ranges.size())));
    // In a quiet range most likely nothing is due, and one head is enough to know.
    ToIntFunction<Range> limit = range -> quiet.contains(range) ? 1 : most;
    Seen seen = Seen.NOTHING;
    try {
      if (!isQuiet) {
        seen = store.look(request.type(), ranges, limit, request.unchecked());
      }
    } catch (RuntimeException e) {
      known.turns().returnNew(part.news());
      throw e;
    }
    Map<Source, List<Head>> bySource = seen.heads().stream().collect(groupingBy(Head::source));
    Look look =
        new Look(
            ranges,
            seen.heads(),
            seenInPart(ranges, bySource, limit),
            leftOut,
            lanes,
            part.isAll() ? Optional.empty() : Optional.of(turn(part, known, seen)),
            seen.hasRepeats(),
            Position.isOther(seen.tables(), family),
            newsSeen,
            at);
    ranges.forEach(
        range -> note(known, look, range, bySource.getOrDefault(range.source(), List.of())));
    known.retain(family.live(), at);
    return look;
  }

  private static <T> Collection<T> without(
      Set<String> paused, Collection<T> all, Function<T, String> stage) {
    return paused.isEmpty()
        ? all
        : all.stream().filter(one -> !paused.contains(stage.apply(one))).toList();
  }

  private Lanes lanes(
      TaskFamily family, Collection<Source> open, Supplier<Map<String, Set<String>>> workers) {
    Map<String, Set<String>> stages = family.hasLanes() ? workers.get() : Map.of();
    if (stages.isEmpty()) {
      return Lanes.NONE;
    }
    LaneHeads found = laneHeads.heads(open, stages.keySet());
    Map<Source, Head> heads = new HashMap<>();
    Map<String, Set<String>> ofWorker = new HashMap<>();
    for (LaneHead head : found.heads()) {
      Set<String> wanted = stages.getOrDefault(head.workerId(), NOTHING);
      if (wanted.isEmpty() || wanted.contains(head.place().stage())) {
        Source source = new Source(head.place().table(), head.place().stage(), head.lane());
        heads.put(source, new Head(source, 0, head.orderTime(), head.now()));
        ofWorker.computeIfAbsent(head.workerId(), worker -> new HashSet<>()).add(head.lane());
      }
    }
    return new Lanes(true, heads, ofWorker, found.isCut());
  }

  /**
   * The ranges of required stages that are quiet in all tables. A range begins where claims begin,
   * if the source was read from its beginning within the last second: other holds wait for this
   * look, and at the beginning it would read all delete-marked entries.
   */
  private static Set<Range> quietRequired(
      Collection<String> requiredStages,
      TaskFamily family,
      DueMap known,
      List<Range> ranges,
      Set<String> leftOut,
      long at) {
    Set<Range> found = new LinkedHashSet<>();
    if (leftOut.isEmpty() || requiredStages.isEmpty()) {
      return found;
    }
    Set<String> quiet = new HashSet<>(requiredStages);
    ranges.forEach(range -> quiet.remove(range.source().stage()));
    leftOut.removeAll(quiet);
    for (TaskTable table : family.live()) {
      quiet.forEach(stage -> found.add(known.requiredRange(new Source(table, stage), at)));
    }
    return found;
  }

  private static Set<Source> seenInPart(
      List<Range> ranges, Map<Source, List<Head>> heads, ToIntFunction<Range> limit) {
    return ranges.stream()
        .filter(
            range ->
                heads.getOrDefault(range.source(), List.of()).size() >= limit.applyAsInt(range))
        .map(Range::source)
        .collect(toSet());
  }

  private static Turn turn(Part part, DueMap known, Seen seen) {
    boolean hasDue = seen.heads().stream().anyMatch(Head::isDue);
    boolean isUnderWay = known.turns().lookedUpTo(part.last(), hasDue);
    return new Turn(part.began(), part.news(), isUnderWay, known.turns().beganAt());
  }

  /**
   * The sources of one look at a type.
   *
   * @param began the source behind which it begins; {@code null} if these are all sources
   * @param last the source behind which the next look begins; {@code null} at the end of the turn
   * @param news sources with new tasks that are added to this part
   */
  private record Part(Collection<Source> sources, Source began, Source last, Set<Source> news) {

    static Part all(Collection<Source> sources) {
      return new Part(sources, null, null, Set.of());
    }

    boolean isAll() {
      return began == null;
    }
  }

  private Part partOf(TaskFamily family, LookRequest request, DueMap known, boolean whole) {
    List<TaskTable> live = family.live();
    Set<String> wanted = request.stages();
    if (!wanted.isEmpty()) {
      List<Source> named = new ArrayList<>();
      live.forEach(table -> wanted.forEach(stage -> named.add(new Source(table, stage))));
      return Part.all(named);
    }
    LookTurns turns = known.turns();
    Source first = new Source(family.begin(), "");
    Source began = turns.position().orElse(first);
    boolean isFirst = began.equals(first);
    long at = node.nanoTime();
    Sources next = turns.partBehind(began, live, at).orElse(null);
    if (next == null) {
      long newsSeen = known.newsCount();
      next =
          isFirst
              ? firstPart(live, known, request.requireFresh(), whole)
              : store.waitingSources(live, began);
      if (isFirst && next.last() == null) {
        turns.end();
        return Part.all(next.sources());
      }
      turns.sawPart(began, next, live, newsSeen, at);
    }
    if (isFirst) {
      turns.begin(at);
    }
    Set<Source> sources = new LinkedHashSet<>(next.sources());
    Set<Source> news = turns.takeNew(began);
    news.stream().filter(source -> live.contains(source.table())).forEach(sources::add);
    return new Part(sources, began, next.last(), news);
  }

  /** The first part of the sources. Reads only the stages of tables whose stages are not known. */
  private Sources firstPart(
      List<TaskTable> live, DueMap known, boolean requireFresh, boolean whole) {
    List<Source> sources = new ArrayList<>();
    for (TaskTable table : live) {
      long at = node.nanoTime();
      int room = DueStore.SOURCES_A_LOOK - sources.size();
      Optional<Set<String>> seen =
          whole
              ? Optional.empty()
              : requireFresh ? known.freshStagesOf(table, at) : known.stagesOf(table, at);
      if (room == 0 || seen.filter(stages -> stages.size() > room).isPresent()) {
        return new Sources(sources, new Source(table, ""));
      }
      long newsSeen = known.newsCount();
      Collection<String> stages =
          seen.isPresent() ? seen.get() : store.waitingStages(table, "", room);
      stages.forEach(stage -> sources.add(new Source(table, stage)));
      if (seen.isEmpty() && stages.size() == room) {
        return new Sources(sources, sources.get(sources.size() - 1));
      }
      if (seen.isEmpty()) {
        known.sawStages(table, stages, newsSeen, at);
      }
    }
    return new Sources(sources, null);
  }

  private static long toMs(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos + 999_999);
  }
}
