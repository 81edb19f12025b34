package io.asyncflow.flowsvr.due;

import static io.asyncflow.flowsvr.tasktable.Freshness.KNOWN;
import static io.asyncflow.flowsvr.tasktable.Freshness.NOW;
import static java.util.Collections.disjoint;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.due.DueStore.Seen;
import io.asyncflow.flowsvr.due.DueStore.Sources;
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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import org.springframework.stereotype.Component;

/**
 * Looks, without a lock, for what is due, and remembers for a moment where nothing was ({@link
 * DueMap}), so that nobody looks there again.
 *
 * <p>One statement a look, whatever it has to find out, where the stages are named. Stages are free
 * text: of a type in which tasks wait for more of them than {@link DueStore#SOURCES_A_LOOK}, looks
 * that name none see some at a time, and go round. Nobody is told that nothing is due before a
 * whole turn that began after he came has seen nothing. Thread-safe.
 */
@Component
public class DueLook {

  /** After a turn that has seen nothing due. */
  private static final long REST_MS = 1_000;

  /** Of too many sources a look sees about so many. */
  private static final int MOST_HEADS = 2_000;

  private final DueStore store;
  private final TaskFamilies families;
  private final Node node;
  private final DueMaps maps;

  DueLook(DueStore store, DueMaps maps, TaskFamilies families, Node node) {
    this.store = store;
    this.families = families;
    this.node = node;
    this.maps = maps;
  }

  /**
   * What to look for.
   *
   * @param stages only these; empty for all
   * @param requiredStages those of them of which it is not enough that they are known to be quiet
   * @param limit as many heads of each source
   * @param requireFresh whether a hold that names no stage is answered even if nothing is found, so
   *     that it is not enough that the scan knows of no other stage
   * @param unchecked holds of which nobody knows whether they were given something before
   */
  public record LookRequest(
      TaskType type,
      Set<String> stages,
      Set<String> requiredStages,
      int limit,
      boolean requireFresh,
      Collection<HoldKey> unchecked) {}

  /**
   * What was seen.
   *
   * @param ranges what was looked at
   * @param heads of these, in order within each
   * @param seenInPart the sources in which there may be more behind what was seen
   * @param leftOut the stages of which something was left out, because it was known to be quiet
   * @param turn which of too many sources were looked at; empty if all that were wished for
   * @param hasRepeats whether any of the unchecked holds was given something before
   * @param isOfOldTables whether the type has others by now
   * @param newsSeen the news that it knew of
   * @param at when it began
   */
  public record Look(
      List<Range> ranges,
      List<Head> heads,
      Set<Source> seenInPart,
      Set<String> leftOut,
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

    /** Whether nothing was left out of these stages; of all if they are empty. */
    public boolean isWholeFor(Set<String> stages) {
      return stages.isEmpty() ? leftOut.isEmpty() : disjoint(leftOut, stages);
    }

    /** Whether there is more to look at before anybody may be told that nothing is due. */
    public boolean isUnderWay() {
      return turn.filter(Turn::isUnderWay).isPresent();
    }

    /** Whether some of the turn was looked at before this time. */
    public boolean turnBeganBefore(long time) {
      return turn.filter(seen -> seen.beganAt() - time < 0).isPresent();
    }
  }

  /**
   * A look at some of too many sources.
   *
   * @param began behind this one
   * @param news what it took of the news, to look at once before its turn
   * @param isUnderWay whether there are more, or something was due
   * @param beganAt when the first of all were looked at
   */
  public record Turn(Source began, Set<Source> news, boolean isUnderWay, long beganAt) {}

  /** A range that was busy a moment ago, and is the only one in question. */
  public record OnlyRange(Range range, long newsSeen, long at) {}

  /** Something waits that did not before. */
  public void on(TasksWaiting news) {
    maps.known(news.type()).ifPresent(known -> known.on(news));
  }

  /**
   * For how long nothing is due, as far as is known; asks no database.
   *
   * @return ms; 0 if it has to be looked up now
   */
  public long quietForMs(TaskType type, Set<String> stages) {
    DueMap known = maps.of(type);
    return families
        .find(type, KNOWN)
        .map(family -> toMs(known.nextLook(family.live(), stages, node.nanoTime())))
        .orElse(0L);
  }

  /** The same, after a look that saw nothing due, or nothing that was not taken. */
  public long quietForMs(Look look, TaskType type, Set<String> stages) {
    return look.turn().isPresent() ? REST_MS : quietForMs(type, stages);
  }

  /** Where to take tasks from without a look; empty if that would be a guess. */
  public Optional<OnlyRange> busyRange(TaskType type, Set<String> stages) {
    DueMap known = maps.of(type);
    TaskFamily family = families.find(type, KNOWN).orElse(null);
    if (family == null) {
      return Optional.empty();
    }
    long at = node.nanoTime();
    long newsSeen = known.newsCount();
    List<Range> ranges = new ArrayList<>();
    for (TaskTable table : family.live()) {
      Collection<String> names = stages.isEmpty() ? known.stagesOf(table, at).orElse(null) : stages;
      if (names == null) {
        return Optional.empty();
      }
      names.forEach(stage -> known.rangeOf(new Source(table, stage), at).ifPresent(ranges::add));
    }
    boolean isBusy =
        ranges.size() == 1 && !ranges.get(0).isWhole() && known.isBusy(ranges.get(0).source());
    if (!isBusy) {
      return Optional.empty();
    }
    known.claimedFrom(ranges.get(0).source(), at);
    return Optional.of(new OnlyRange(ranges.get(0), newsSeen, at));
  }

  /**
   * Something was taken of a busy range.
   *
   * @param first what was due first of it
   * @param isAll whether it was all that could be had
   */
  public void tookFrom(OnlyRange busy, TaskRow first, boolean isAll) {
    Source source = busy.range().source();
    DueMap known = maps.of(source.table().type());
    Head head = new Head(source, first.id().number(), first.orderTime(), first.now());
    known.saw(busy.range(), List.of(head), busy.newsSeen(), busy.at());
    if (isAll) {
      known.exhausted(busy.range());
    }
  }

  /** What is left of a source when a claim has taken the first ones of a look. */
  public void isLeft(Look look, Range range, List<Head> left) {
    note(maps.of(range.source().table().type()), look, range, left);
  }

  /**
   * Of a look at some of too many sources nothing is remembered but what somebody asks for by name.
   * Each is looked at once a turn, and so many hints would cost each create.
   */
  private static void note(DueMap known, Look look, Range range, List<Head> heads) {
    if (look.turn().isEmpty() || known.knows(range.source())) {
      known.saw(range, heads, look.newsSeen(), look.at());
    }
  }

  /** Nothing could be taken: the next look sees what this one has seen. */
  public void stayAt(Look look) {
    look.turn()
        .ifPresent(
            turn -> maps.of(turn.began().table().type()).goOnBehind(turn.began(), turn.news()));
  }

  /**
   * Looks at what is not known to be quiet.
   *
   * @param whole looks at everything, whatever is known
   */
  public Look look(LookRequest request, boolean whole) {
    TaskFamily family =
        families.find(request.type(), KNOWN).orElseGet(() -> families.of(request.type()));
    Look look = lookAt(family, request, whole);
    if (!look.isOfOldTables()) {
      return look;
    }
    stayAt(look); // what it has seen due is not lost to the next one
    return lookAt(families.find(request.type(), NOW).orElse(family), request, whole);
  }

  private Look lookAt(TaskFamily family, LookRequest request, boolean whole) {
    DueMap known = maps.of(request.type());
    long at = node.nanoTime();
    long newsSeen = known.newsCount();
    Part part = partOf(family, request, known, whole);
    List<Range> ranges = new ArrayList<>();
    Set<String> leftOut = new HashSet<>();
    for (Source source : part.sources()) {
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
    Set<Range> quiet = quietRequired(request.requiredStages(), family, known, ranges, leftOut, at);
    ranges.addAll(quiet);
    boolean isKnownEmpty = part.sources().isEmpty() && part.isAll() && !request.requireFresh();
    if (ranges.isEmpty()
        && request.unchecked().isEmpty()
        && (!leftOut.isEmpty() || isKnownEmpty && !whole)) {
      return new Look(
          ranges, List.of(), Set.of(), leftOut, Optional.empty(), false, false, newsSeen, at);
    }
    int most = part.isAll() ? request.limit() : limitOfEach(request, ranges.size());
    // Of what is quiet most likely nothing is due, and what is not due need not be read.
    ToIntFunction<Range> limit = range -> quiet.contains(range) ? 1 : most;
    Seen seen;
    try {
      seen = store.look(request.type(), ranges, limit, request.unchecked());
    } catch (RuntimeException e) {
      known.giveBackNew(part.news());
      throw e;
    }
    Map<Source, List<Head>> bySource = seen.heads().stream().collect(groupingBy(Head::source));
    Look look =
        new Look(
            ranges,
            seen.heads(),
            seenInPart(ranges, bySource, limit),
            leftOut,
            part.isAll() ? Optional.empty() : Optional.of(turn(part, known, seen)),
            seen.hasRepeats(),
            isOld(family, seen),
            newsSeen,
            at);
    ranges.forEach(
        range -> note(known, look, range, bySource.getOrDefault(range.source(), List.of())));
    known.retain(family.live(), at);
    return look;
  }

  /**
   * What to look at of stages that are quiet in all tables, and for which that is not enough. It
   * begins where claims would begin, if the source was looked at from its beginning within the last
   * second: others wait for this look, and it would pass all that was left there.
   */
  private static Set<Range> quietRequired(
      Set<String> requiredStages,
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

  private static int limitOfEach(LookRequest request, int ranges) {
    return Math.min(request.limit(), MOST_HEADS / Math.max(1, ranges));
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
    boolean isUnderWay = known.lookedUpTo(part.last(), hasDue);
    return new Turn(part.began(), part.news(), isUnderWay, known.turnBeganAt());
  }

  private static boolean isOld(TaskFamily family, Seen seen) {
    return seen.begin() > 0
        && (seen.begin() != family.begin().number() || seen.end() != family.end().number());
  }

  /**
   * The sources of one look.
   *
   * @param began behind this one; {@code null} if they are all that there are
   * @param last where the next look goes on; {@code null} if there are no more
   * @param news what was taken of the news for it
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
    Source beginning = new Source(family.begin(), "");
    Source began = known.goOnBehind().orElse(beginning);
    boolean isFirst = began.equals(beginning);
    long at = node.nanoTime();
    Sources next = known.partBehind(began, live, at).orElse(null);
    if (next == null) {
      long newsSeen = known.newsCount();
      next =
          isFirst
              ? fromTheBeginning(live, known, request.requireFresh(), whole)
              : store.waitingSources(live, began);
      if (isFirst && next.last() == null) {
        known.fitsIntoALook();
        return Part.all(next.sources());
      }
      known.sawPart(began, next, live, newsSeen, at);
    }
    if (isFirst) {
      known.turnBegins(at);
    }
    Set<Source> sources = new LinkedHashSet<>(next.sources());
    Set<Source> news = known.takeNew(began);
    news.stream().filter(one -> live.contains(one.table())).forEach(sources::add);
    return new Part(sources, began, next.last(), news);
  }

  /** Asks only for the stages of those tables of which they are not known. */
  private Sources fromTheBeginning(
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
