package io.asyncflow.flowsvr.due;

import static io.asyncflow.flowsvr.tasktable.Freshness.KNOWN;
import static io.asyncflow.flowsvr.tasktable.Freshness.NOW;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.due.DueStore.Gap;
import io.asyncflow.flowsvr.due.DueStore.Position;
import io.asyncflow.flowsvr.due.DueStore.Scan;
import io.asyncflow.flowsvr.due.HoldDemand.Wanted;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.system.redis.RedisLink;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktable.TaskFamily;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.stereotype.Component;

/**
 * Finds what is due and came without news: from another server, or by SQL. One statement looks at
 * the sources of all types for which holds are parked, or in which claims go on, however many there
 * are.
 *
 * <p>How often depends on what else tells of it. The only server makes all the news itself; what
 * comes by SQL is found within five seconds. Where Redis carries the news between servers, a scan a
 * second finds what was lost. Without Redis the scan is how one server learns of what others
 * create, so it runs many times a second, and takes at most a fifth of the time of one connection.
 *
 * <p>For one thread.
 */
@Component
class DueScan implements ApplicationListener<ApplicationReadyEvent>, DisposableBean {

  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** Where nothing else carries the news of other servers. */
  private static final Duration SHORT_PAUSE = Duration.ofMillis(125);

  /** A round rests for so many times as long as it took. */
  private static final int REST = 4;

  /** On the only server; with the pause before a round, five seconds at most. */
  private static final Duration QUIET_ON_SOLE_SERVER = Duration.ofMillis(3_800);

  /** Where Redis carries the news. */
  private static final Duration QUIET_WITH_REDIS = Duration.ofMillis(800);

  /** Parts of one statement: the sources and gaps that it looks at, and the types. */
  private static final int PARTS_A_STATEMENT = 800;

  private final DueMaps maps;
  private final DueStore store;
  private final TaskFamilies families;
  private final HoldDemand demand;
  private final RedisLink redis;
  private final Node node;
  private boolean isSoleServer;
  private long tookNanos;
  private BackgroundLoop loop;

  DueScan(
      DueMaps maps,
      DueStore store,
      TaskFamilies families,
      HoldDemand demand,
      RedisLink redis,
      Node node) {
    this.maps = maps;
    this.store = store;
    this.families = families;
    this.demand = demand;
    this.redis = redis;
    this.node = node;
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent ready) {
    loop = BackgroundLoop.start("due-scan", this::pause, this::runOnce);
  }

  private Duration pause() {
    Duration pause = hearsOthers() ? PAUSE : SHORT_PAUSE;
    Duration rest = Duration.ofNanos(REST * tookNanos);
    return rest.compareTo(pause) > 0 ? rest : pause;
  }

  private boolean hearsOthers() {
    return isSoleServer || redis.isConfigured() && !redis.isGivenUp();
  }

  private Duration quietFor() {
    return isSoleServer ? QUIET_ON_SOLE_SERVER : hearsOthers() ? QUIET_WITH_REDIS : Duration.ZERO;
  }

  /** The sources of one type that this round looks at. */
  private record Part(
      TaskFamily family,
      DueMap map,
      long newsSeen,
      List<Source> quiet,
      Set<Source> busy,
      List<Gap> gaps) {

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
   * Looks at all that wants to be looked at.
   *
   * @throws DataAccessException the first failure, after all else has been looked at
   */
  void runOnce() {
    long began = node.nanoTime();
    List<Part> parts = parts(began);
    RuntimeException failure = null;
    List<Part> together = new ArrayList<>();
    int size = 0;
    for (Part part : parts) {
      if (!together.isEmpty() && size + part.size() > PARTS_A_STATEMENT) {
        failure = first(failure, scan(together));
        together = new ArrayList<>();
        size = 0;
      }
      together.add(part);
      size += part.size();
    }
    if (!together.isEmpty()) {
      failure = first(failure, scan(together));
    }
    tookNanos = node.nanoTime() - began;
    if (failure != null) {
      throw failure;
    }
  }

  private List<Part> parts(long now) {
    Map<TaskType, Wanted> wanted = demand.wanted();
    Map<TaskType, Part> parts = new TreeMap<>();
    maps.forEach(
        (type, map) -> {
          Set<Source> busy = map.busyToScan();
          TaskFamily family = families.find(type, KNOWN).orElse(null);
          if (family == null || busy.isEmpty() && !wanted.containsKey(type)) {
            busy.forEach(source -> map.scanned(source, now));
            return;
          }
          long newsSeen = map.newsCount();
          List<Source> quiet =
              wanted.containsKey(type)
                  ? map.quietToScan(
                      sources(family.live(), map, wanted.get(type), now), quietFor().toNanos(), now)
                  : List.of();
          List<Gap> gaps = new ArrayList<>();
          if (wanted.containsKey(type) && wanted.get(type).anyStage()) {
            family
                .live()
                .forEach(table -> gaps.addAll(map.gapsToScan(table, quietFor().toNanos(), now)));
          }
          if (!quiet.isEmpty() || !busy.isEmpty() || !gaps.isEmpty()) {
            parts.put(type, new Part(family, map, newsSeen, quiet, busy, gaps));
          }
        });
    return new ArrayList<>(parts.values());
  }

  /** Of holds that name no stage, those that are known; whether there are others the gaps tell. */
  private static Collection<Source> sources(
      List<TaskTable> live, DueMap map, Wanted wanted, long now) {
    Set<Source> sources = new HashSet<>();
    for (TaskTable table : live) {
      wanted.stages().forEach(stage -> sources.add(new Source(table, stage)));
      if (wanted.anyStage()) {
        map.stagesOf(table, now)
            .ifPresent(stages -> stages.forEach(stage -> sources.add(new Source(table, stage))));
      }
    }
    return sources;
  }

  /** Returns what went wrong; {@code null} if nothing did. */
  private RuntimeException scan(List<Part> parts) {
    long at = node.nanoTime();
    try {
      List<Source> sources = parts.stream().flatMap(part -> part.sources().stream()).toList();
      List<TaskType> types = parts.stream().map(part -> part.family().type()).toList();
      List<Gap> gaps = parts.stream().flatMap(part -> part.gaps().stream()).toList();
      Scan scan = store.scan(types, sources, gaps);
      isSoleServer = scan.servers() <= 1;
      maps.forEach((type, map) -> map.soleServer(isSoleServer));
      parts.forEach(part -> learn(part, scan, at));
      return null;
    } catch (BadSqlGrammarException e) {
      return scanOneByOne(parts, e);
    } catch (RuntimeException e) {
      return e;
    } finally {
      parts.forEach(part -> part.busy().forEach(source -> part.map().scanned(source, at)));
    }
  }

  /** A table that was dropped meanwhile must not keep the other types from being looked at. */
  private RuntimeException scanOneByOne(List<Part> parts, BadSqlGrammarException e) {
    if (parts.size() == 1) {
      families.find(parts.get(0).family().type(), NOW);
      return e;
    }
    RuntimeException failure = null;
    for (Part part : parts) {
      failure = first(failure, scan(List.of(part)));
    }
    return failure;
  }

  private void learn(Part part, Scan scan, long at) {
    TaskType type = part.family().type();
    for (Source source : part.sources()) {
      Head head = scan.heads().get(source);
      List<Head> heads = head == null ? List.of() : List.of(head);
      part.map().saw(Range.whole(source), heads, part.newsSeen(), at);
    }
    Set<TaskTable> tables = part.gaps().stream().map(Gap::table).collect(toSet());
    for (TaskTable table : tables) {
      boolean areAll = !scan.newStages().contains(table);
      part.map().scannedGaps(table, areAll, part.newsSeen(), at);
      if (!areAll) {
        demand.dueIn(type, 0);
      }
    }
    part.quiet().stream()
        .map(scan.heads()::get)
        .filter(head -> head != null)
        .mapToLong(head -> Math.max(0, -head.dueForMs()))
        .min()
        .ifPresent(inMs -> demand.dueIn(type, inMs));
    if (isOld(part.family(), scan.tables().get(type))) {
      families.find(type, NOW); // so that the claims know of it, too
      demand.dueIn(type, 0);
    }
  }

  private static boolean isOld(TaskFamily family, Position position) {
    return position != null
        && (position.begin() != family.begin().number() || position.end() != family.end().number());
  }

  private static RuntimeException first(RuntimeException one, RuntimeException other) {
    return one == null ? other : one;
  }

  @Override
  public void destroy() {
    if (loop != null) {
      loop.close();
    }
  }
}
