package io.asyncflow.flowsvr.lease;

import static java.util.Collections.disjoint;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.lease.ClaimStore.Head;
import io.asyncflow.flowsvr.lease.ClaimStore.Range;
import io.asyncflow.flowsvr.lease.ClaimStore.Seen;
import io.asyncflow.flowsvr.lease.ClaimStore.Source;
import io.asyncflow.flowsvr.system.DaemonThreads;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.task.TaskRow;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktable.TaskFamily;
import io.asyncflow.flowsvr.tasktable.TaskTable;
import io.asyncflow.flowsvr.tasktype.TaskType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/**
 * Looks, without a lock, for what is due, and remembers for a moment where nothing was ({@link
 * DueHints}), so that nobody looks there again.
 *
 * <p>One statement a look, whatever it has to find out. Thread-safe.
 */
@Component
class DueLook implements DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(DueLook.class);

  private static final int RANGES_A_STATEMENT = 50;

  private final ClaimStore claims;
  private final TaskFamilies families;
  private final Node node;
  private final Map<TaskType, DueHints> hints = new ConcurrentHashMap<>();
  private final ThreadPoolExecutor beside;

  DueLook(ClaimStore claims, TaskFamilies families, Node node) {
    this.claims = claims;
    this.families = families;
    this.node = node;
    this.beside = DaemonThreads.pool(1, "due-look");
  }

  /**
   * What to look for.
   *
   * @param stages only these; empty for all
   * @param inAnyCase those of them of which it is not enough that they are known to be quiet
   * @param limit as many heads of each source
   * @param unchecked holds of which nobody knows whether they were given something before
   */
  record Wish(
      TaskType type,
      Set<String> stages,
      Set<String> inAnyCase,
      int limit,
      Collection<Hold> unchecked) {}

  /**
   * What was seen.
   *
   * @param ranges what was looked at
   * @param heads of these, in order within each
   * @param limit how many heads of each range there can be
   * @param cut the stages of which something was left out, because it was known to be quiet
   * @param hasRepeats whether any of the unchecked holds was given something before
   * @param isOfOldTables whether the type has others by now
   * @param newsSeen the news that it knew of
   * @param at when it began
   */
  record Look(
      List<Range> ranges,
      List<Head> heads,
      int limit,
      Set<String> cut,
      boolean hasRepeats,
      boolean isOfOldTables,
      long newsSeen,
      long at) {

    boolean hasDue() {
      return heads.stream().anyMatch(Head::isDue);
    }

    Set<String> dueStages() {
      return heads.stream().filter(Head::isDue).map(head -> head.source().stage()).collect(toSet());
    }

    /** Whether nothing was left out of what the hold takes. */
    boolean isWholeFor(Hold hold) {
      return hold.stages().isEmpty() ? cut.isEmpty() : disjoint(cut, hold.stages());
    }
  }

  /** A range that was busy a moment ago, and is the only one in question. */
  record OnlyRange(Range range, long newsSeen, long at) {}

  /** Something waits that did not before. */
  void on(TasksWaiting news) {
    DueHints known = hints.get(news.type());
    if (known != null) {
      known.on(news);
    }
  }

  /**
   * For how long nothing is due, as far as is known; asks no database.
   *
   * @return ms; 0 if it has to be looked up now
   */
  long quietForMs(TaskType type, Set<String> stages) {
    DueHints known = hints.get(type);
    if (known == null) {
      return 0;
    }
    return families
        .known(type)
        .map(family -> toMs(known.nextLook(family.live(), stages, node.nanoTime())))
        .orElse(0L);
  }

  /** Where to take tasks from without a look; empty if that would be a guess. */
  Optional<OnlyRange> busyRange(TaskType type, Set<String> stages) {
    DueHints known = hintsOf(type);
    TaskFamily family = families.known(type).orElse(null);
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
    lookBeside(known, ranges.get(0).source());
    return Optional.of(new OnlyRange(ranges.get(0), newsSeen, at));
  }

  /** Looks at the source from its beginning, if it is time to, and lets no claim wait for that. */
  private void lookBeside(DueHints known, Source source) {
    long at = node.nanoTime();
    if (!known.wantsLookBeside(source, at)) {
      return;
    }
    try {
      beside.execute(() -> lookAtTheWhole(known, source));
    } catch (Throwable e) { // no thread; even an Error must cost no claim
      known.lookedBeside(source, at);
      log.warn(
          "no thread could be had to look at {} from its beginning; again in a second", source, e);
    }
  }

  private void lookAtTheWhole(DueHints known, Source source) {
    long at = node.nanoTime();
    long newsSeen = known.newsCount();
    Range whole = Range.whole(source);
    try {
      TaskType type = source.table().type();
      Seen seen = claims.look(type, List.of(whole), 1, List.of());
      known.hearsEverything(seen.servers() <= 1);
      known.saw(whole, seen.heads(), newsSeen, at);
      if (families.known(type).filter(family -> isOld(family, seen)).isPresent()) {
        families.findNow(type); // so that the claims know of it, too
      }
    } catch (RuntimeException e) {
      log.debug("{} could not be looked at from its beginning; again in a second", source, e);
    } finally {
      known.lookedBeside(source, at);
    }
  }

  /**
   * Something was taken of a busy range.
   *
   * @param first what was due first of it
   * @param isAll whether it was all that could be had
   */
  void tookFrom(OnlyRange busy, TaskRow first, boolean isAll) {
    Source source = busy.range().source();
    DueHints known = hintsOf(source.table().type());
    Head head = new Head(source, first.id().number(), first.orderTime(), first.now());
    known.saw(busy.range(), List.of(head), busy.newsSeen(), busy.at());
    if (isAll) {
      known.exhausted(busy.range());
    }
  }

  /** What is left of a source when a claim has taken the first ones of a look. */
  void isLeft(Look look, Range range, List<Head> left) {
    hintsOf(range.source().table().type()).saw(range, left, look.newsSeen(), look.at());
  }

  /**
   * Looks at what is not known to be quiet.
   *
   * @param whole looks at everything, whatever is known
   */
  Look look(Wish wish, boolean whole) {
    TaskFamily family = families.known(wish.type()).orElseGet(() -> families.of(wish.type()));
    Look look = lookAt(family, wish, whole);
    return look.isOfOldTables()
        ? lookAt(families.findNow(wish.type()).orElse(family), wish, whole)
        : look;
  }

  private Look lookAt(TaskFamily family, Wish wish, boolean whole) {
    DueHints known = hintsOf(wish.type());
    long at = node.nanoTime();
    long newsSeen = known.newsCount();
    List<Range> ranges = new ArrayList<>();
    Set<String> cut = new HashSet<>();
    for (TaskTable table : family.live()) {
      for (String stage : stagesOf(table, wish.stages(), known, whole)) {
        Source source = new Source(table, stage);
        Optional<Range> range =
            whole ? Optional.of(Range.whole(source)) : known.rangeOf(source, at);
        range.ifPresent(ranges::add);
        if (range.filter(Range::isWhole).isEmpty()) {
          cut.add(stage);
        }
        if (range.isPresent() && !range.get().isWhole()) {
          lookBeside(known, source);
        }
      }
    }
    addQuiet(wish.inAnyCase(), family, ranges, cut);
    if (ranges.isEmpty() && wish.unchecked().isEmpty() && !cut.isEmpty()) {
      return new Look(ranges, List.of(), wish.limit(), cut, false, false, newsSeen, at);
    }
    int most = Math.min(RANGES_A_STATEMENT, ranges.size());
    Seen seen = claims.look(wish.type(), ranges.subList(0, most), wish.limit(), wish.unchecked());
    List<Head> heads = new ArrayList<>(seen.heads());
    for (int from = most; from < ranges.size(); from += RANGES_A_STATEMENT) {
      int to = Math.min(from + RANGES_A_STATEMENT, ranges.size());
      heads.addAll(claims.heads(ranges.subList(from, to), wish.limit()));
    }
    known.hearsEverything(seen.servers() <= 1);
    Map<Source, List<Head>> bySource = heads.stream().collect(groupingBy(Head::source));
    ranges.forEach(
        range -> known.saw(range, bySource.getOrDefault(range.source(), List.of()), newsSeen, at));
    known.retain(family.live(), at);
    return new Look(
        ranges, heads, wish.limit(), cut, seen.hasRepeats(), isOld(family, seen), newsSeen, at);
  }

  /** Of stages that are quiet in all tables, and for which that is not enough. */
  private static void addQuiet(
      Set<String> inAnyCase, TaskFamily family, List<Range> ranges, Set<String> cut) {
    if (cut.isEmpty() || inAnyCase.isEmpty()) {
      return;
    }
    Set<String> quiet = new HashSet<>(inAnyCase);
    ranges.forEach(range -> quiet.remove(range.source().stage()));
    cut.removeAll(quiet);
    for (TaskTable table : family.live()) {
      quiet.forEach(stage -> ranges.add(Range.whole(new Source(table, stage))));
    }
  }

  private static boolean isOld(TaskFamily family, Seen seen) {
    return seen.begin() > 0
        && (seen.begin() != family.begin().number() || seen.end() != family.end().number());
  }

  private Collection<String> stagesOf(
      TaskTable table, Set<String> wanted, DueHints known, boolean whole) {
    if (!wanted.isEmpty()) {
      return wanted;
    }
    long at = node.nanoTime();
    Optional<Set<String>> seen = whole ? Optional.empty() : known.stagesOf(table, at);
    if (seen.isPresent()) {
      return seen.get();
    }
    long newsSeen = known.newsCount();
    List<String> stages = claims.waitingStages(table);
    known.sawStages(table, stages, newsSeen, at);
    return stages;
  }

  private DueHints hintsOf(TaskType type) {
    return hints.computeIfAbsent(type, t -> new DueHints());
  }

  @Override
  public void destroy() {
    beside.shutdown();
  }

  private static long toMs(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos + 999_999);
  }
}
