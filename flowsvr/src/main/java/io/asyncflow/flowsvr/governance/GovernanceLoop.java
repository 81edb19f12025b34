package io.asyncflow.flowsvr.governance;

import io.asyncflow.flowsvr.job.JobCatchUp;
import io.asyncflow.flowsvr.job.JobRetention;
import io.asyncflow.flowsvr.leader.LeaderElection;
import io.asyncflow.flowsvr.lease.HoldRetention;
import io.asyncflow.flowsvr.operator.AuditRetention;
import io.asyncflow.flowsvr.store.StoreRetention;
import io.asyncflow.flowsvr.system.BackgroundLoop;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.Outage;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.task.KeyRetention;
import io.asyncflow.flowsvr.task.ServerNumberRetention;
import io.asyncflow.flowsvr.tasktable.TableDrain;
import io.asyncflow.flowsvr.tasktable.TableRetention;
import io.asyncflow.flowsvr.worker.WorkerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.stereotype.Component;

/**
 * Runs the governance jobs, each in a loop of its own that survives whatever the job throws.
 *
 * <p>What a run did is written down for the status: at once when it did something or failed, and
 * once a minute, together with those of the other jobs, when it did nothing.
 */
@Component
class GovernanceLoop implements ApplicationListener<ApplicationReadyEvent>, DisposableBean {

  /** What it does is mostly nothing, and costs a statement on an idle server, too. */
  private static final Duration CATCH_UP = Duration.ofSeconds(5);

  private static final Duration WAKE_UP = Duration.ofSeconds(10);
  private static final Duration AUDIT = Duration.ofSeconds(20);
  private static final long NOTE_QUIET_RUNS_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long NOTE_FIRST_RUNS_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final List<GovernanceJob> jobs;
  private final LeaderElection election;
  private final JobRunStore runs;
  private final Node node;
  private final TaskMeters meters;
  private final Set<String> noted = new HashSet<>();
  private final Map<String, Ended> unwritten = new TreeMap<>(); // in the order of every server
  private long writtenAt;
  private List<BackgroundLoop> loops = List.of();

  GovernanceLoop(
      ExpiredLeaseSweep leases,
      InvariantAuditor auditor,
      TableDrain drain,
      TableRetention retention,
      KeyRetention keys,
      HoldRetention holds,
      WorkerRegistry workers,
      ServerNumberRetention serverNumbers,
      FallbackWakeUp wakeUps,
      JobCatchUp jobSteps,
      JobRetention jobRetention,
      AuditRetention audit,
      StoreRetention objects,
      LeaderElection election,
      JobRunStore runs,
      Node node,
      TaskMeters meters,
      @Value("${flow.governance.sweep-interval:1s}") Duration sweepInterval,
      @Value("${flow.governance.cleaning-interval:60s}") Duration cleaning) {
    this.jobs =
        List.of(
            new GovernanceJob("expired-lease-sweep", sweepInterval, false, leases::runIfDue),
            new GovernanceJob("fallback-wake-up", WAKE_UP, true, wakeUps::runOnce),
            new GovernanceJob(
                "job-catch-up", longer(CATCH_UP, sweepInterval), true, jobSteps::runOnce),
            new GovernanceJob("table-drain", sweepInterval, true, drain::runOnce),
            new GovernanceJob("table-retention", cleaning, true, retention::runOnce),
            new GovernanceJob(
                "invariant-auditor", longer(AUDIT, sweepInterval), true, auditor::runOnce),
            new GovernanceJob("job-retention", cleaning, true, jobRetention::runOnce),
            new GovernanceJob("audit-retention", cleaning, true, audit::runOnce),
            new GovernanceJob("store-retention", cleaning, true, objects::runOnce),
            new GovernanceJob("key-retention", cleaning, true, keys::runOnce),
            new GovernanceJob("hold-retention", cleaning, true, holds::runOnce),
            new GovernanceJob("worker-retention", cleaning, true, workers::forgetSilent),
            new GovernanceJob("server-number-retention", cleaning, true, serverNumbers::runOnce));
    this.election = election;
    this.runs = runs;
    this.node = node;
    this.writtenAt = node.nanoTime();
    this.meters = meters;
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) > 0 ? a : b;
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent ready) {
    loops =
        jobs.stream()
            .map(job -> BackgroundLoop.start(job.name(), job.interval(), () -> run(job)))
            .toList();
  }

  private void run(GovernanceJob job) {
    if (job.leaderOnly() && election.term().isEmpty()) {
      return;
    }
    long started = node.nanoTime();
    try {
      Object result = job.runOnce().get();
      note(job, started, result, null);
    } catch (RuntimeException e) {
      String error = Outage.of(e).map(Outage::line).orElseGet(e::toString);
      note(job, started, Map.of(), error);
      throw e;
    }
  }

  private void note(GovernanceJob job, long started, Object result, String error) {
    long now = node.nanoTime();
    meters.governed(job.name(), error != null, Duration.ofNanos(now - started));
    boolean isDeed = error == null && didAnything(result);
    note(job.name(), new Ended(now, now - started, result, error, isDeed));
  }

  private record Ended(long atNanos, long tookNanos, Object result, String error, boolean isDeed) {

    JobRunStore.Note asNote(String job, String node, long now) {
      long age = TimeUnit.NANOSECONDS.toMillis(now - atNanos);
      long cost = TimeUnit.NANOSECONDS.toMillis(tookNanos);
      return new JobRunStore.Note(job, node, age, cost, result, error, isDeed);
    }
  }

  private synchronized void note(String job, Ended run) {
    unwritten.put(job, run);
    boolean isNews = run.isDeed() || run.error() != null;
    boolean isKnown = noted.containsAll(unwritten.keySet());
    long now = node.nanoTime();
    if (isNews || now - writtenAt > (isKnown ? NOTE_QUIET_RUNS_NANOS : NOTE_FIRST_RUNS_NANOS)) {
      List<JobRunStore.Note> notes = new ArrayList<>();
      unwritten.forEach((name, ended) -> notes.add(ended.asNote(name, node.id(), now)));
      runs.write(notes);
      noted.addAll(unwritten.keySet());
      unwritten.clear();
      writtenAt = now;
    }
  }

  private static boolean didAnything(Object result) {
    return result instanceof Integer count ? count > 0 : ((JobResult) result).didAnything();
  }

  @Override
  public void destroy() {
    loops.forEach(BackgroundLoop::close);
  }
}
