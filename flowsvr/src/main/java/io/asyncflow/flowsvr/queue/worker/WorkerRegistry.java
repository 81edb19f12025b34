package io.asyncflow.flowsvr.queue.worker;

import static java.util.Comparator.comparing;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.base.system.db.PagedDelete;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.queue.hold.OpenHolds;
import io.asyncflow.flowsvr.queue.hold.OpenHolds.Drain;
import io.asyncflow.flowsvr.task.pause.PausesInForce;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Service;
import tools.jackson.databind.JsonNode;

/**
 * Lists the workers, for people, and for the teams that choose among them. A worker's tasks return
 * to waiting when their leases end, not when the worker is shown as lost.
 *
 * <p>Beats are buffered in memory and written together every few seconds, the first beat of a start
 * that names stages within a second, so a thousand workers cost two statements. A hold call counts
 * as a sign of life while it is parked, so an idle worker needs few beats. It carries no
 * description, and a worker is unknown until its first beat.
 *
 * <p>A drained worker learns of the drain from the answers to its holds, at once on the server that
 * received the drain and soon on the others, and from its beats. A drain applies to one process:
 * the first beat of another start of the worker ends it. Thread-safe.
 */
@Service
public class WorkerRegistry {

  private static final Duration WRITING = Duration.ofSeconds(10);

  /** The least time between two rounds, however many workers start. */
  private static final Duration APART = Duration.ofSeconds(1);

  private static final Duration LOST_AFTER = Duration.ofSeconds(30);
  private static final Duration FORGOTTEN_AFTER = Duration.ofDays(1);

  private static final Logger log = LoggerFactory.getLogger(WorkerRegistry.class);

  /** How many workers a server shows at least, unless it is told otherwise. */
  private static final long LEAST = 10_000;

  /** Of the heap, for one worker; most descriptions take a tenth of it. */
  private static final long BYTES_OF_A_BEAT = 50_000;

  private final int maxWorkers;
  private final WorkerStore store;
  private final WorkerStageStore stages;
  private final OpenHolds holds;
  private final TaskTypes types;
  private final Acts acts;
  private final RetryingTransactions transactions;
  private final PausesInForce pauses;
  private final PagedDelete pages;
  private final Node node;
  private final Map<String, Received> unwritten = new ConcurrentHashMap<>();
  private final Map<String, String> starts = new ConcurrentHashMap<>();
  private volatile boolean isAnyDraining;
  private final BackgroundLoop writer =
      new BackgroundLoop("worker-registry", WRITING, this::runInPace);

  /** Beats that were written since the rows were counted. */
  private int uncounted;

  /** When the writer made its last round. */
  private long lastRound;

  /** When the last round began that was not cut short, whoever made it. */
  private volatile long lastWritten;

  WorkerRegistry(
      WorkerStore store,
      WorkerStageStore stages,
      OpenHolds holds,
      TaskTypes types,
      Acts acts,
      RetryingTransactions transactions,
      PausesInForce pauses,
      PagedDelete pages,
      Node node,
      @Value("${flow.max-workers:#{null}}") Integer maxWorkers) {
    this.lastWritten = node.nanoTime();
    this.lastRound = lastWritten - APART.toNanos();
    this.maxWorkers =
        maxWorkers != null
            ? maxWorkers
            : (int) Math.max(LEAST, Runtime.getRuntime().maxMemory() / BYTES_OF_A_BEAT);
    this.store = store;
    this.stages = stages;
    this.holds = holds;
    this.types = types;
    this.acts = acts;
    this.transactions = transactions;
    this.pauses = pauses;
    this.pages = pages;
    this.node = node;
  }

  private record Received(WorkerBeat beat, long atNanos, Caller caller) {}

  @Bean
  BackgroundLoop workerRegistryLoop() {
    return writer;
  }

  /**
   * Accepts a beat. One access key, or one subject of an issuer, has room for half of the workers,
   * so that it does not have the beats of others forgotten.
   *
   * @return the drain of the worker, if it is drained
   */
  public Optional<Drain> beat(WorkerBeat beat, Caller caller) {
    boolean isFirst =
        beat.stages() != null
            && !beat.startId().equals(starts.put(beat.workerId(), beat.startId()));
    if (unwritten.containsKey(beat.workerId()) || hasRoomFor(caller)) {
      unwritten.put(beat.workerId(), new Received(beat, node.nanoTime(), caller));
      if (isFirst) {
        writer.runSoon(); // a team may wait for it
      }
    } // otherwise only the leases are renewed, which is what matters
    if (starts.size() > maxWorkers) {
      starts.clear();
    }
    return holds.drainOf(beat.workerId(), beat.startId());
  }

  private boolean hasRoomFor(Caller caller) {
    int part = Set.of(Caller.Kind.LOCAL, Caller.Kind.ENV).contains(caller.kind()) ? 1 : 2;
    int most = maxWorkers / part;
    int all = unwritten.size();
    return all < most
        || all < maxWorkers
            && unwritten.values().stream()
                    .filter(one -> one.caller().principal().equals(caller.principal()))
                    .count()
                < most;
  }

  private void runInPace() {
    LockSupport.parkNanos(lastRound + APART.toNanos() - node.nanoTime());
    lastRound = node.nanoTime();
    runOnce();
  }

  /**
   * Writes the signs of life since the last round; does nothing on a server that never received
   * one. Rounds do not overlap, because one could write a beat after the other wrote a newer one.
   */
  synchronized void runOnce() {
    long begin = node.nanoTime();
    Set<String> whoBeat = writeBeats();
    Set<String> holders = holds.seenWorkers();
    holders.removeAll(whoBeat);
    store.markAlive(holders);
    if (!whoBeat.isEmpty() || !holders.isEmpty() || isAnyDraining) {
      readDraining();
    }
    lastWritten = begin;
  }

  /** Writes buffered beats; returns the ids of their workers. */
  private Set<String> writeBeats() {
    Map<String, Received> beats = new HashMap<>(unwritten);
    if (beats.isEmpty()) {
      return Set.of();
    }
    long now = node.nanoTime();
    store.write(
        beats.values().stream()
            .sorted(
                comparing(
                    received -> received.beat().workerId())) // same lock order on every server
            .map(
                received ->
                    new WorkerStore.AgedBeat(
                        received.beat(), TimeUnit.NANOSECONDS.toMillis(now - received.atNanos())))
            .toList());
    stages.write(
        beats.values().stream().map(Received::beat).filter(beat -> beat.stages() != null).toList());
    beats.forEach(unwritten::remove); // only the written ones: a newer beat stays
    uncounted += beats.size();
    if (uncounted > maxWorkers / 10) {
      deleteBeyondLimit();
      uncounted = 0;
    }
    return beats.keySet();
  }

  /**
   * Deletes all but the newest workers, so that invented names do not displace real workers for
   * long. As the rows are counted after a tenth of the limit was written, a server adds no more
   * than this to the limit.
   */
  private void deleteBeyondLimit() {
    int forgotten = store.deleteBeyond(maxWorkers);
    if (forgotten > 0) {
      log.warn(
          "more than {} workers: the {} that were silent for the longest were forgotten; more are"
              + " shown with --flow.max-workers=n",
          maxWorkers,
          forgotten);
    }
  }

  /**
   * Reads the drained workers. Synchronized, so that an older read does not replace a newer one.
   */
  private synchronized void readDraining() {
    Map<String, Drain> draining = store.draining();
    isAnyDraining = !draining.isEmpty();
    holds.setDraining(draining);
  }

  /**
   * Workers, the latest beat first: from this server's beats so far and the rows that the others
   * have written.
   *
   * @param seen other workers are not on the list
   * @param maxAge how old the rows of this server's workers may be, so that readers do not write
   */
  public List<WorkerView> list(int limit, Names seen, Duration maxAge) {
    writeUnlessWritten(maxAge);
    return store.list(LOST_AFTER, pauses.now()::hasWorker, limit, seen).stream()
        .map(this::withTypes)
        .toList();
  }

  /**
   * A worker; see {@link #list}. Empty if it is not seen, or has not beaten for a day.
   *
   * @param seen other workers are not found
   */
  Optional<WorkerView> find(String workerId, Names seen, Duration maxAge) {
    if (!seen.contains(workerId)) {
      return Optional.empty();
    }
    writeUnlessWritten(maxAge);
    return store.find(workerId, LOST_AFTER, pauses.now()::hasWorker).map(this::withTypes);
  }

  private WorkerView withTypes(WorkerView worker) {
    return worker.tooOldFor(tooOldFor(worker.description()));
  }

  private void writeUnlessWritten(Duration maxAge) {
    if (node.nanoTime() - lastWritten >= maxAge.toNanos()) {
      runOnce();
    }
  }

  /** The types of a worker's stages that ask for a later version than it describes. */
  private List<String> tooOldFor(JsonNode description) {
    int version = description.path("version").asInt(0);
    Set<String> served =
        description
            .path("stages")
            .valueStream()
            .map(stage -> stage.asString(""))
            .map(stage -> stage.substring(0, Math.max(0, stage.indexOf('/'))))
            .collect(toSet());
    return types.all().stream()
        .filter(type -> version < type.minWorkerVersion())
        .map(type -> type.type().name())
        .filter(served::contains)
        .toList();
  }

  /**
   * Drains a worker through its parked holds and its next heartbeats, or cancels a drain.
   *
   * @param graceMs milliseconds after which the worker interrupts what it runs and releases it;
   *     {@code null} for never
   * @param operator as the caller names itself; may be empty
   * @param reason may be empty
   * @return false if there is no such worker
   */
  public boolean drain(
      String workerId, boolean drain, Long graceMs, String operator, String reason) {
    runOnce(); // its first beat may not be written yet
    boolean exists =
        transactions.execute(
            () -> {
              boolean found = store.setDrain(workerId, drain, graceMs);
              if (found) {
                Object detail = graceMs == null ? null : Map.of("graceMs", graceMs);
                String act = drain ? "DRAIN" : "UNDO_DRAIN";
                acts.record(
                    Act.of(act, "worker:" + workerId)
                        .by(new Reason(operator, reason))
                        .with(detail));
              }
              return found;
            });
    readDraining(); // other servers do this in their next round
    return exists;
  }

  @Bean
  Duty workerRetentionDuty(DutyIntervals every) {
    return Duty.ofCleaning("worker-retention", every, this::forgetSilent);
  }

  /** Deletes workers that have been silent for a day; returns their number. */
  int forgetSilent() {
    int forgotten = pages.run(limit -> store.deleteSilent(FORGOTTEN_AFTER, limit));
    pages.run(stages::deleteOfForgotten);
    return forgotten;
  }
}
