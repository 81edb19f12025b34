package io.asyncflow.flowsvr.why;

import static io.asyncflow.flowsvr.why.Reasons.data;

import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.flowsvr.why.Facts.DoneAct;
import io.asyncflow.flowsvr.why.Facts.JobFacts;
import io.asyncflow.rules.HoldEnd.Verdict;
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
      case SUCCESS -> {
        List<String> copies = copiesOf(facts);
        reasons.add(
            "DONE",
            data("endedAt", facts.row().modifyTime(), "copies", copies.isEmpty() ? null : copies),
            null,
            null,
            "It has succeeded.");
      }
      case WAITING, PAUSED -> throw new IllegalArgumentException("it waits");
    }
    return reasons;
  }

  private static void addHeld(Reasons reasons, Facts facts) {
    TaskRow row = facts.row();
    boolean isOver = row.leaseEnd() <= row.now();
    boolean hasWorker = !row.workerId().isEmpty();
    String worker = hasWorker && facts.seesWorker().test(row.workerId()) ? row.workerId() : null;
    long heardOf = Math.max(row.beatTime(), row.holdTime());
    if (isOver) {
      reasons.add(
          "LEASE_OVER",
          data("worker", worker, "leaseUntil", row.leaseEnd(), "lastSweep", facts.lastSweep()),
          null,
          "CHECK_GOVERNANCE",
          "Its lease is over; the next sweep gives it back.");
    } else {
      reasons.add(
          "HELD",
          data(
              "worker", worker,
              "since", row.holdTime(),
              "leaseUntil", row.leaseEnd(),
              "beatAge", row.beatTime() == 0 ? null : row.now() - row.beatTime(),
              "progress", row.progress(),
              "hardEnd", hardEnd(row, facts.type()),
              "stage", row.stage()),
          row.leaseEnd(),
          null,
          "A worker holds it.");
      addQueued(reasons, facts, worker);
    }
    if (!hasWorker) {
      reasons.add(
          "NO_HEARTBEATS",
          data("until", row.leaseEnd()),
          row.leaseEnd(),
          null,
          "Its holder has no id and sends no heartbeats.");
    } else if (!isOver && facts.type() != null) {
      long lease = Leases.first(row.workerId(), facts.type()).toMillis();
      if (row.now() - heardOf > lease * 2 / 5) {
        reasons.add(
            "WORKER_SILENT",
            data("worker", worker, "beatAge", row.now() - heardOf, "leaseUntil", row.leaseEnd()),
            row.leaseEnd(),
            "WAIT",
            "Its worker has been silent for longer than it should be.");
      }
    }
  }

  /** A worker may hold more tasks than it has threads or slots for. */
  private static void addQueued(Reasons reasons, Facts facts, String worker) {
    String id = facts.row().id().toString();
    facts.workers().stream()
        .filter(described -> described.id().equals(worker))
        .filter(described -> described.says().queued().contains(id))
        .findFirst()
        .ifPresent(
            described ->
                reasons.add(
                    "QUEUED_AT_WORKER",
                    data("worker", worker, "queued", described.says().queued().size()),
                    null,
                    "WAIT",
                    "Its worker has not begun it: a thread or a slot must become free first."));
  }

  private static Long hardEnd(TaskRow row, TaskTypeConfig type) {
    return type == null ? null : Leases.hardEnd(row, type);
  }

  private static void addFailed(Reasons reasons, Facts facts) {
    TaskRow row = facts.row();
    ScheduleLog.Last last = ScheduleLog.last(row.scheduleLog());
    Optional<DoneAct> forced = last(facts, "SET_STATUS");
    boolean isByOperator = forced.filter(act -> act.time() >= row.modifyTime()).isPresent();
    String verdict =
        isByOperator
            ? "OPERATOR"
            : switch (last.outcome() == null ? "" : last.outcome()) {
              case "", "FAIL" -> "FAIL"; // in the log of an old client no outcome stands
              case "POISON" -> Verdict.POISON.name();
              default -> "EXHAUSTED";
            };
    List<String> copies = copiesOf(facts);
    reasons.add(
        "FAILED_FINAL",
        data(
            "verdict",
            verdict,
            "attempts",
            row.crtRetryNum() + row.unexpectedNum(),
            "deliveries",
            row.deliveryCount(),
            "lastError",
            facts.seesContents() ? last.error() : null,
            "operator",
            isByOperator ? forced.get().by() : null,
            "copies",
            copies.isEmpty() ? null : copies),
        null,
        "RETRY",
        "It has failed, and is not tried again.");
  }

  private static void addCancelled(Reasons reasons, Facts facts) {
    Optional<DoneAct> act = last(facts, "CANCEL").or(() -> last(facts, "SET_STATUS"));
    reasons.add(
        "CANCELLED_BY",
        data(
            "operator", act.map(DoneAct::by).orElse(null),
            "reason", act.map(DoneAct::reason).filter(text -> !text.isEmpty()).orElse(null),
            "jobId", facts.row().place() == null ? null : "" + facts.row().place().jobId()),
        null,
        "RETRY",
        "It was cancelled.");
  }

  private static Optional<DoneAct> last(Facts facts, String kind) {
    return facts.acts().stream().filter(act -> act.act().equals(kind)).findFirst();
  }

  private static List<String> copiesOf(Facts facts) {
    return facts.acts().stream()
        .map(DoneAct::newTaskId)
        .filter(copy -> copy != null)
        .distinct()
        .toList();
  }

  /** A child that is no task yet. */
  static Reasons ofStaged(JobFacts job) {
    Reasons reasons = new Reasons();
    String id = "" + job.id();
    if (job.isPaused()) {
      reasons.block("JOB_PAUSED", data("jobId", id), null, "RESUME_JOB", "Its job is paused.");
    }
    if (!job.state().equals("RUNNING")) {
      reasons.block(
          "JOB_HOLDS",
          data("jobId", id, "state", job.state()),
          null,
          "OPEN_JOB",
          "Its job is " + job.state() + ", and makes no tasks of its children.");
    } else if (job.window() != null && job.inFlight() >= job.window()) {
      reasons.block(
          "JOB_WINDOW",
          data("jobId", id, "window", job.window(), "inFlight", job.inFlight()),
          null,
          "WAIT",
          "As many children of its job as may be in flight are, " + job.window() + ".");
    } else if (job.isTeam()) {
      reasons.block(
          "TEAM_WAITS",
          data("jobId", id, "released", job.released()),
          null,
          "START_WORKER",
          "Its team waits for another worker: each copy has a worker of its own.");
    } else {
      reasons.add(
          "JOB_HOLDS",
          data("jobId", id, "state", job.state()),
          null,
          "WAIT",
          "Its job makes tasks of its children page by page.");
    }
    return reasons;
  }
}
