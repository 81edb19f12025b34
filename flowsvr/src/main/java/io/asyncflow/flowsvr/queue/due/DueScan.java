package io.asyncflow.flowsvr.queue.due;

import static io.asyncflow.flowsvr.task.table.Freshness.KNOWN;
import static io.asyncflow.flowsvr.task.table.Freshness.NOW;
import static java.util.stream.Collectors.toMap;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.base.system.concurrent.FailureCollector;
import io.asyncflow.flowsvr.base.system.redis.RedisLink;
import io.asyncflow.flowsvr.queue.due.DueStore.Gap;
import io.asyncflow.flowsvr.queue.due.DueStore.Position;
import io.asyncflow.flowsvr.queue.due.DueStore.Scan;
import io.asyncflow.flowsvr.queue.due.HoldDemand.Wanted;
import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.index.Range;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.lane.LaneHeadStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.springframework.context.annotation.Bean;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.stereotype.Component;

/**
 * Finds due tasks that arrived without news: from another server, or by SQL. One statement reads
 * the sources of all types for which holds are parked or in which claims go on, however many types
 * there are.
 *
 * <p>Its pace depends on the other sources of news. A sole server publishes all news itself; tasks
 * inserted by SQL are found within five seconds. If Redis carries news between servers, one scan a
 * second finds tasks whose news were lost. Without Redis a server learns of tasks from other
 * servers only by the scan, so it runs several times a second, more often for a second after it has
 * found a due task, and uses at most a fifth of one connection's time.
 *
 * <p>Not thread-safe.
 */
@Component
class DueScan {

  /** The pause if no other server is alive; with its jitter less than five seconds. */
  private static final Duration PAUSE_ON_SOLE_SERVER = Duration.ofSeconds(4);

  /** The pause if Redis carries the news of other servers. */
  private static final Duration PAUSE_WITH_REDIS = Duration.ofSeconds(1);

  /** The pause if no news of other servers arrive. */
  private static final Duration SHORT_PAUSE = Duration.ofMillis(125);

  /** The pause after such a round has found a due task, for a while: the next one may follow. */
  private static final Duration ACTIVE_PAUSE = Duration.ofMillis(25);

  private static final Duration ACTIVE = Duration.ofSeconds(1);

  /** The pause is at least this multiple of the time that the last round took. */
  private static final int PAUSE_FACTOR = 4;

  /** The age at which a quiet source is scanned if Redis carries the news of other servers. */
  private static final Duration QUIET_WITH_REDIS = Duration.ofMillis(800);

  /** The most parts of one statement (types, sources, gaps), unless a single type has more. */
  private static final int MAX_PARTS_PER_STATEMENT = 800;

  private final DueReader reader;
  private final DueStore store;
  private final LaneHeadStore laneHeads;
  private final TaskFamilies families;
  private final HoldDemand demand;
  private final RedisLink redis;
  private final Node node;

  /** The first tasks in lanes that were told of, with their due times. */
  private final Map<TaskType, Map<Source, Long>> told = new HashMap<>();

  private int maxParts = MAX_PARTS_PER_STATEMENT;
  private boolean isSoleServer;
  private long tookNanos;
  private final Map<TaskType, Long> restUntil = new HashMap<>();
  private boolean hasFound;
  private long foundAt;

  DueScan(
      DueReader reader,
      DueStore store,
      LaneHeadStore laneHeads,
      TaskFamilies families,
      HoldDemand demand,
      RedisLink redis,
      Node node) {
    this.reader = reader;
    this.store = store;
    this.laneHeads = laneHeads;
    this.families = families;
    this.demand = demand;
    this.redis = redis;
    this.node = node;
  }

  @Bean
  BackgroundLoop dueScanLoop() {
    return new BackgroundLoop("due-scan", this::pause, this::runOnce);
  }

  Duration pause() {
    boolean isActive = hasFound && node.nanoTime() - foundAt < ACTIVE.toNanos();
    Duration pause =
        isSoleServer
            ? PAUSE_ON_SOLE_SERVER
            : receivesAllEvents() ? PAUSE_WITH_REDIS : isActive ? ACTIVE_PAUSE : SHORT_PAUSE;
    Duration rest = Duration.ofNanos(PAUSE_FACTOR * tookNanos);
    return rest.compareTo(pause) > 0 ? rest : pause;
  }

  private boolean receivesAllEvents() {
    return isSoleServer || redis.isConfigured() && !redis.isGivenUp();
  }

  /**
   * The sources of one type that a round reads.
   *
   * @param places the stages in which tasks may wait in lanes of workers
   */
  private record Part(
      TaskFamily family,
      DueMap map,
      long newsSeen,
      List<Source> quiet,
      Set<Source> busy,
      List<Gap> gaps,
      Collection<Source> places) {

    int size() {
      return 1 + quiet.size() + busy.size() + gaps.size();
    }

    List<Source> sources() {
      List<Source> sources = new ArrayList<>(quiet);
      sources.addAll(busy);
      return sources;
    }
  }

  /**
   * Makes one round.
   *
   * @throws DataAccessException the first failure, after all other sources have been read
   */
  void runOnce() {
    List<Part> parts = parts(node.nanoTime());
    tookNanos = 0;
    FailureCollector failures = new FailureCollector();
    int from = 0;
    while (from < parts.size()) {
      List<Part> batch = parts.subList(from, endOfBatch(parts, from));
      failures.collect(() -> scanTimed(batch));
      from += batch.size();
    }
    failures.throwFirst();
    maxParts = Math.min(2 * maxParts, MAX_PARTS_PER_STATEMENT);
  }

  private int endOfBatch(List<Part> parts, int from) {
    int end = from + 1;
    int size = parts.get(from).size();
    while (end < parts.size() && size + parts.get(end).size() <= maxParts) {
      size += parts.get(end++).size();
    }
    return end;
  }

  /**
   * Scans a batch. After a failure the next statements are smaller, so that one source that is
   * slow, or whose table was dropped, does not keep the scan from the others; a type that fails
   * alone rests for as long as its time asks.
   */
  private void scanTimed(List<Part> batch) {
    long began = node.nanoTime();
    try {
      scan(batch);
      tookNanos += node.nanoTime() - began;
    } catch (RuntimeException e) {
      if (batch.size() > 1) {
        maxParts = Math.max(1, maxParts / 4);
      } else {
        TaskType type = batch.get(0).family().type();
        long now = node.nanoTime();
        restUntil.put(type, now + PAUSE_FACTOR * (now - began));
        if (e instanceof BadSqlGrammarException) {
          families.find(type, NOW);
        }
      }
      throw e;
    }
  }

  private List<Part> parts(long now) {
    Map<TaskType, Wanted> wanted = demand.wanted();
    Map<TaskType, Part> parts = new TreeMap<>();
    restUntil.values().removeIf(until -> until - now <= 0);
    long age = receivesAllEvents() && !isSoleServer ? QUIET_WITH_REDIS.toNanos() : 0;
    reader
        .maps()
        .forEach(
            (type, map) -> {
              if (restUntil.containsKey(type)) {
                return;
              }
              Set<Source> busy = map.busyToScan();
              TaskFamily family = families.find(type, KNOWN).orElse(null);
              if (family == null || busy.isEmpty() && !wanted.containsKey(type)) {
                busy.forEach(map::scanned);
                return;
              }
              long newsSeen = map.newsCount();
              Wanted ofType = wanted.getOrDefault(type, Wanted.NOTHING);
              Collection<Source> sources = sources(family.live(), map, ofType, now);
              List<Source> quiet = map.quietToScan(sources, age, now);
              List<Gap> gaps =
                  ofType.anyStage() ? map.waiting().gapsToScan(family.live(), age, now) : List.of();
              Collection<Source> places = family.hasLanes() ? sources : List.of();
              if (!quiet.isEmpty() || !busy.isEmpty() || !gaps.isEmpty() || !places.isEmpty()) {
                parts.put(type, new Part(family, map, newsSeen, quiet, busy, gaps, places));
              }
            });
    return new ArrayList<>(parts.values());
  }

  /**
   * The sources that holds wait for. For holds that name no stage, the known sources: the gaps tell
   * whether there are others.
   */
  private static Collection<Source> sources(
      List<TaskTable> live, DueMap map, Wanted wanted, long now) {
    Set<Source> sources = new HashSet<>();
    for (TaskTable table : live) {
      wanted.stages().forEach(stage -> sources.add(new Source(table, stage)));
    }
    if (wanted.anyStage()) {
      map.waiting().all(live, now).ifPresent(all -> sources.addAll(all.sources()));
    }
    sources.removeIf(source -> wanted.paused().contains(source.stage()));
    return sources;
  }

  private void scan(List<Part> parts) {
    long at = node.nanoTime();
    try {
      List<Source> sources = parts.stream().flatMap(part -> part.sources().stream()).toList();
      List<TaskType> types = parts.stream().map(part -> part.family().type()).toList();
      List<Gap> gaps = parts.stream().flatMap(part -> part.gaps().stream()).toList();
      Scan scan = store.scan(types, sources, gaps);
      isSoleServer = scan.servers() <= 1;
      reader.maps().values().forEach(map -> map.waiting().soleServer(isSoleServer));
      parts.forEach(part -> update(part, scan, at));
    } finally {
      parts.forEach(part -> part.busy().forEach(part.map()::scanned));
    }
  }

  private void update(Part part, Scan scan, long at) {
    TaskType type = part.family().type();
    for (Source source : part.sources()) {
      Head head = scan.heads().get(source);
      List<Head> heads = head == null ? List.of() : List.of(head);
      part.map().saw(Range.whole(source), heads, part.newsSeen(), at);
    }
    boolean areAll = part.gaps().stream().map(Gap::table).noneMatch(scan.newStages()::contains);
    part.map().waiting().scannedGaps(part.gaps(), areAll, at);
    if (!areAll) {
      found(type, 0, at);
    }
    part.quiet().stream()
        .map(scan.heads()::get)
        .filter(Objects::nonNull)
        .mapToLong(Head::dueInMs)
        .min()
        .ifPresent(inMs -> found(type, inMs, at));
    if (Position.isOther(scan.tables().get(type), part.family())) {
      families.find(type, NOW); // claims then use the new tables, too
      demand.dueIn(type, 0);
    }
    scanLanes(part, at); // last: its statement may fail, and the others were read
  }

  /**
   * Tells of the tasks in lanes of the waiting workers. A task that was told of is not told of
   * again: the claims know it and have a reason not to take it, such as a limit of the type.
   */
  private void scanLanes(Part part, long at) {
    TaskType type = part.family().type();
    Set<String> workers = part.places().isEmpty() ? Set.of() : demand.workers(type);
    if (workers.isEmpty()) {
      told.remove(type);
      return;
    }
    Map<Source, Long> heads = new HashMap<>();
    long next = Long.MAX_VALUE;
    Map<Source, Long> before = told.getOrDefault(type, Map.of());
    Map<String, Set<String>> ofAnyStage =
        workers.stream().collect(toMap(worker -> worker, worker -> Set.of()));
    for (Head head : laneHeads.heads(part.places(), ofAnyStage).heads().values()) {
      heads.put(head.source(), head.orderTime());
      if (!Objects.equals(before.get(head.source()), head.orderTime())) {
        next = Math.min(next, head.dueInMs());
      }
    }
    told.put(type, heads);
    if (next < Long.MAX_VALUE) {
      found(type, next, at);
    }
  }

  private void found(TaskType type, long dueInMs, long at) {
    demand.dueIn(type, dueInMs);
    if (dueInMs == 0) {
      hasFound = true;
      foundAt = at;
    }
  }
}
