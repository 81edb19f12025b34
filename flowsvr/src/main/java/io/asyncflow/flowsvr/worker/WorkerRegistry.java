package io.asyncflow.flowsvr.worker;

import static java.util.Comparator.comparing;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.hold.OpenHolds;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.system.db.PagedDelete;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Service;

/**
 * Knows which workers there are, for people: nothing is decided by it. A worker's tasks are given
 * away when their leases end, not when it is shown as lost.
 *
 * <p>Beats are kept in memory and written together every few seconds, so a thousand workers cost
 * one statement. A hold is a sign of life as good as a beat, and a parked one stays so for as long
 * as it is parked: so an idle worker need hardly beat. It says nothing of what a worker holds or
 * is, and makes none known that has never beaten.
 *
 * <p>Whoever is sent away is told by its holds, at once on the server that was told to, soon on the
 * others, and by its beats. That is for the process that was there: the first beat of another start
 * of the worker ends it. Thread-safe.
 */
@Service
public class WorkerRegistry implements ApplicationListener<ApplicationReadyEvent>, DisposableBean {

  private static final Duration WRITING = Duration.ofSeconds(10);
  private static final Duration LOST_AFTER = Duration.ofSeconds(30);
  private static final Duration FORGOTTEN_AFTER = Duration.ofDays(1);

  private static final Logger log = LoggerFactory.getLogger(WorkerRegistry.class);

  private final int most;
  private final WorkerStore store;
  private final OpenHolds holds;
  private final PagedDelete pages;
  private final Node node;
  private final Map<String, Received> unwritten = new ConcurrentHashMap<>();
  private volatile boolean sendsAway;
  private BackgroundLoop writer;

  WorkerRegistry(
      WorkerStore store,
      OpenHolds holds,
      PagedDelete pages,
      Node node,
      @Value("${flow.max-workers:10000}") int most) {
    this.most = most;
    this.store = store;
    this.holds = holds;
    this.pages = pages;
    this.node = node;
  }

  private record Received(WorkerBeat beat, long atNanos) {}

  @Override
  public void onApplicationEvent(ApplicationReadyEvent ready) {
    writer = BackgroundLoop.start("worker-registry", WRITING, this::runOnce);
  }

  /**
   * Takes a beat.
   *
   * @return whether the worker shall finish what it has and leave
   */
  public boolean beat(WorkerBeat beat) {
    if (unwritten.size() < most || unwritten.containsKey(beat.workerId())) {
      unwritten.put(beat.workerId(), new Received(beat, node.nanoTime()));
    } // else its leases are renewed, and that is what counts
    return holds.isSentAway(beat.workerId(), beat.startId());
  }

  /** Writes who gave signs of life since the last round; does nothing where nobody ever did. */
  void runOnce() {
    Set<String> whoBeat = writeBeats();
    Set<String> whoAsked = holds.seenWorkers();
    whoAsked.removeAll(whoBeat);
    store.seen(whoAsked);
    if (!whoBeat.isEmpty() || !whoAsked.isEmpty() || sendsAway) {
      readWhoLeaves();
    }
  }

  /** Returns whose beats it wrote. */
  private Set<String> writeBeats() {
    Map<String, Received> beats = new HashMap<>(unwritten);
    if (beats.isEmpty()) {
      return Set.of();
    }
    long now = node.nanoTime();
    store.write(
        beats.values().stream()
            .sorted(comparing(received -> received.beat().workerId())) // as every server does
            .map(
                received ->
                    new WorkerStore.AgedBeat(
                        received.beat(), TimeUnit.NANOSECONDS.toMillis(now - received.atNanos())))
            .toList());
    beats.forEach(unwritten::remove); // only what was written: a newer beat stays
    forgetBeyond();
    return beats.keySet();
  }

  /** The newest stay, so names that somebody makes up do not keep real workers out for long. */
  private void forgetBeyond() {
    int forgotten = store.deleteBeyond(most);
    if (forgotten > 0) {
      log.warn(
          "more than {} workers: the {} that were silent for the longest were forgotten; more are"
              + " shown with --flow.max-workers=n",
          most,
          forgotten);
    }
  }

  /** One at a time, or what was read first might be heeded last. */
  private synchronized void readWhoLeaves() {
    Map<String, String> leaving = store.draining();
    sendsAway = !leaving.isEmpty();
    holds.sendAway(leaving);
  }

  /**
   * Workers, the one that beat last first: what this server was told so far, and what the others
   * have written.
   */
  public List<WorkerView> list(int limit) {
    runOnce();
    return store.list(LOST_AFTER, limit);
  }

  /**
   * Tells a worker, by its parked holds and its next heartbeats, to stop polling, finish and leave;
   * or takes that back.
   *
   * @return false if there is no such worker
   */
  public boolean drain(String workerId, boolean drain) {
    runOnce(); // it may have beaten for the first time just now
    boolean known = store.setDrain(workerId, drain);
    readWhoLeaves(); // as other servers do with their next round
    return known;
  }

  @Bean
  Duty workerRetentionDuty(DutyIntervals every) {
    return Duty.ofLeader("worker-retention", every.cleaning(), this::forgetSilent);
  }

  /** Forgets workers that have been silent for a day; returns how many. */
  int forgetSilent() {
    return pages.run(limit -> store.deleteSilent(FORGOTTEN_AFTER, limit));
  }

  @Override
  public void destroy() {
    if (writer != null) {
      writer.close();
    }
  }
}
