package io.asyncflow.flowsvr.operate.why;

import io.asyncflow.api.JobState;
import io.asyncflow.flowsvr.operate.why.Facts.DoneAct;
import io.asyncflow.rules.HoldEnd.Verdict;
import io.asyncflow.rules.JobPause;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.Leases;
import io.asyncflow.rules.ScheduleLog;
import io.asyncflow.rules.TaskRow;
import java.util.List;
import java.util.Optional;

/** Why a task executes or has ended, and why a child of a job is no task yet. Pure. */
final class OtherReasons {

  private OtherReasons() {}

  static Reasons of(Facts facts) {
    Reasons reasons = new Reasons();
    switch (facts.row().status()) {
      case EXECUTING -> addHeld(reasons, facts);
      case FAILED -> addFailed(reasons, facts);
      case CANCELLED -> addCancelled(reasons, facts);
      case SUCCESS ->
          reasons.add(Cause.DONE, "endedAt", facts.row().modifyTime(), "copies", copiesOf(facts));
      case WAITING, PAUSED -> throw new IllegalArgumentException("it waits");
    }
    return reasons;
  }

  private static void addHeld(Reasons reasons, Facts facts) {
    TaskRow row = facts.row();
    long end = row.leaseEnd();
    boolean isOver = end <= row.now();
    boolean hasWorker = !row.workerId().isEmpty();
    String worker = hasWorker && facts.seesWorker().test(row.workerId()) ? row.workerId() : null;
    if (isOver) {
      Long sweep = facts.lastSweep();
      reasons.add(Cause.LEASE_OVER, "worker", worker, "leaseUntil", end, "lastSweep", sweep);
    } else {
      reasons.addUntil(
          end,
          Cause.HELD,
          "worker",
          worker,
          "since",
          row.holdTime(),
          "leaseUntil",
          end,
          "beatAge",
          row.beatTime() == 0 ? null : row.now() - row.beatTime(),
          "progress",
          row.progress(),
          "hardEnd",
          facts.type() == null ? null : Leases.hardEnd(row, facts.type()),
          "stage",
          row.stage());
      addQueued(reasons, facts, worker);
    }
    if (!hasWorker) {
      reasons.addUntil(end, Cause.NO_HEARTBEATS, "until", end);
    } else if (!isOver && facts.type() != null) {
      long lease = Leases.first(row.workerId(), facts.type()).toMillis();
      long age = row.now() - Math.max(row.beatTime(), row.holdTime());
      if (age > lease * 2 / 5) {
        reasons.addUntil(
            end, Cause.WORKER_SILENT, "worker", worker, "beatAge", age, "leaseUntil", end);
      }
    }
  }

  /** A worker may hold more tasks than it has threads or slots for. */
  private static void addQueued(Reasons reasons, Facts facts, String worker) {
    String id = facts.row().id().toString();
    facts.workers().stream()
        .filter(described -> described.id().equals(worker))
        .map(described -> described.says().queued())
        .filter(queued -> queued.contains(id))
        .findFirst()
        .ifPresent(
            queued ->
                reasons.add(Cause.QUEUED_AT_WORKER, "worker", worker, "queued", queued.size()));
  }

  private static void addFailed(Reasons reasons, Facts facts) {
    TaskRow row = facts.row();
    ScheduleLog.Last last = ScheduleLog.last(row.scheduleLog());
    Optional<DoneAct> forced =
        facts.last("SET_STATUS").filter(act -> act.time() >= row.modifyTime());
    String verdict =
        switch (last.outcome() == null ? "" : last.outcome()) {
          case "", "FAIL" -> "FAIL"; // in the log of an old client no outcome stands
          case "POISON" -> Verdict.POISON.name();
          default -> "EXHAUSTED";
        };
    reasons.add(
        Cause.FAILED_FINAL,
        "verdict",
        forced.isPresent() ? "OPERATOR" : verdict,
        "attempts",
        row.crtRetryNum() + row.unexpectedNum(),
        "deliveries",
        row.deliveryCount(),
        "lastError",
        facts.seesContents() ? last.error() : null,
        "operator",
        forced.map(DoneAct::by).orElse(null),
        "copies",
        copiesOf(facts));
  }

  private static void addCancelled(Reasons reasons, Facts facts) {
    Optional<DoneAct> act = facts.last("CANCEL").or(() -> facts.last("SET_STATUS"));
    String by = act.map(DoneAct::by).orElse(null);
    String reason = act.map(DoneAct::reasonOrNull).orElse(null);
    String job = facts.row().place() == null ? null : "" + facts.row().place().jobId();
    reasons.add(Cause.CANCELLED_BY, "operator", by, "reason", reason, "jobId", job);
  }

  /** The ids of the copies that were made of it; {@code null} if there are none. */
  private static List<String> copiesOf(Facts facts) {
    List<String> copies =
        facts.acts().stream()
            .map(DoneAct::newTaskId)
            .filter(copy -> copy != null)
            .distinct()
            .toList();
    return copies.isEmpty() ? null : copies;
  }

  /** A child that is no task yet. */
  static Reasons ofStaged(JobRow job) {
    Reasons reasons = new Reasons();
    String id = "" + job.id();
    Integer window = job.window();
    if (job.pause() == JobPause.PAUSED) {
      reasons.add(Cause.JOB_PAUSED, "jobId", id);
    }
    if (job.state() != JobState.RUNNING) {
      reasons.add(Cause.JOB_HOLDS, "jobId", id, "state", job.state().name());
    } else if (job.room() == 0) {
      int inFlight = job.released() - job.ended();
      reasons.add(Cause.JOB_WINDOW, "jobId", id, "window", window, "inFlight", inFlight);
    } else if (job.isTeam()) {
      reasons.add(Cause.TEAM_LACKS_WORKER, "jobId", id, "released", job.released());
    } else {
      reasons.add(Cause.JOB_MAKES_TASKS, "jobId", id, "state", job.state().name());
    }
    return reasons;
  }
}
