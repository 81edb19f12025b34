package io.asyncflow.flowsvr.operate.governance;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyResult;
import io.asyncflow.flowsvr.base.duty.FeaturesInUse;
import io.asyncflow.flowsvr.base.leader.LeaderElection;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.Outage;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.flowsvr.base.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.base.system.concurrent.DaemonThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.stereotype.Component;

/**
 * Runs the duties of all features, each in its own loop, which continues after any exception of the
 * duty. Those of the leader share a few threads; what every server does, as the end of leases, has
 * a thread of its own.
 *
 * <p>A run is recorded for the status: at once if it had an effect or failed, otherwise once a
 * minute together with other duties' runs.
 */
@Component
class DutyLoop implements ApplicationListener<ApplicationReadyEvent>, DisposableBean {

  private static final int LEADERS_THREADS = 16;
  private static final long NOTE_QUIET_RUNS_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long NOTE_FIRST_RUNS_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final List<Duty> duties;
  private final LeaderElection election;
  private final FeaturesInUse features;
  private final DutyRunStore runs;
  private final Node node;
  private final TaskMeters meters;
  private final Set<String> noted = new HashSet<>();
  private final Map<String, Ended> unwritten = new TreeMap<>(); // same lock order on every server
  private long writtenAt;
  private final ScheduledExecutorService ofLeader =
      BackgroundLoop.pool(LEADERS_THREADS, DaemonThreads.named("duty"));
  private List<BackgroundLoop> loops = List.of();

  DutyLoop(
      List<Duty> duties,
      LeaderElection election,
      FeaturesInUse features,
      DutyRunStore runs,
      Node node,
      TaskMeters meters) {
    this.duties = duties;
    this.election = election;
    this.features = features;
    this.runs = runs;
    this.node = node;
    this.writtenAt = node.nanoTime();
    this.meters = meters;
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent ready) {
    loops = duties.stream().map(this::start).toList();
  }

  private BackgroundLoop start(Duty duty) {
    AtomicBoolean rests = new AtomicBoolean();
    BackgroundLoop loop =
        new BackgroundLoop(
            duty.name(),
            () -> rests.get() ? duty.rest() : duty.interval(),
            () -> {
              rests.set(false); // a failure is no reason to rest
              rests.set(!run(duty));
            });
    return (duty.leaderOnly() ? loop.on(ofLeader) : loop).start();
  }

  /** False if a run had no effect. */
  private boolean run(Duty duty) {
    if (duty.leaderOnly() && election.term().isEmpty()) {
      return true;
    }
    long started = node.nanoTime();
    try {
      Object result = isNeeded(duty) ? duty.runOnce().get() : Integer.valueOf(0);
      boolean hadEffect = hadEffect(result);
      note(duty, started, result, hadEffect, null);
      return hadEffect;
    } catch (RuntimeException e) {
      String error = Outage.of(e).map(Outage::line).orElseGet(e::toString);
      note(duty, started, Map.of(), false, error);
      throw e;
    }
  }

  private boolean isNeeded(Duty duty) {
    return duty.feature() == null || features.has(duty.feature());
  }

  private void note(Duty duty, long started, Object result, boolean hadEffect, String error) {
    long now = node.nanoTime();
    meters.governed(duty.name(), error != null, Duration.ofNanos(now - started));
    note(duty.name(), new Ended(now, now - started, result, error, hadEffect));
  }

  private record Ended(
      long atNanos, long tookNanos, Object result, String error, boolean hadEffect) {

    DutyRunStore.Note asNote(String duty, String node, long now) {
      long age = TimeUnit.NANOSECONDS.toMillis(now - atNanos);
      long cost = TimeUnit.NANOSECONDS.toMillis(tookNanos);
      return new DutyRunStore.Note(duty, node, age, cost, result, error, hadEffect);
    }
  }

  private synchronized void note(String duty, Ended run) {
    unwritten.put(duty, run);
    boolean isNews = run.hadEffect() || run.error() != null;
    boolean isKnown = noted.containsAll(unwritten.keySet());
    long now = node.nanoTime();
    if (isNews || now - writtenAt > (isKnown ? NOTE_QUIET_RUNS_NANOS : NOTE_FIRST_RUNS_NANOS)) {
      List<DutyRunStore.Note> notes = new ArrayList<>();
      unwritten.forEach((name, ended) -> notes.add(ended.asNote(name, node.id(), now)));
      runs.write(notes);
      noted.addAll(unwritten.keySet());
      unwritten.clear();
      writtenAt = now;
    }
  }

  private static boolean hadEffect(Object result) {
    return result instanceof Integer count ? count > 0 : ((DutyResult) result).hadEffect();
  }

  @Override
  public void destroy() {
    loops.forEach(BackgroundLoop::close);
  }
}
