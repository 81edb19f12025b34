package io.asyncflow.flowsvr.why;

import static io.asyncflow.flowsvr.why.Reasons.data;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.pause.Pause;
import io.asyncflow.api.pause.PauseKind;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.flowsvr.why.Facts.DoneAct;
import io.asyncflow.flowsvr.why.Facts.JobFacts;
import io.asyncflow.rules.ScheduleLog;
import io.asyncflow.rules.TaskRow;
import java.util.Map;
import java.util.Optional;

/** Why a waiting or paused task does not run. Pure. */
final class WaitingReasons {

  /** How far tasks are counted. */
  static final int MOST_AHEAD = 1_001;

  /** After so long, a due task that nothing holds up should run. */
  private static final long LATE_MS = 5_000;

  private final Facts facts;
  private final TaskRow row;
  private final Reasons reasons = new Reasons();

  private WaitingReasons(Facts facts) {
    this.facts = facts;
    this.row = facts.row();
  }

  static Reasons of(Facts facts) {
    WaitingReasons waiting = new WaitingReasons(facts);
    if (facts.row().status() == TaskStatus.PAUSED) {
      waiting.addOwnPause();
    } else {
      waiting.addAll();
    }
    return waiting.reasons;
  }

  private void addAll() {
    if (facts.type() == null) {
      reasons.block(
          "TYPE_UNKNOWN", Map.of(), null, "RESTORE_TYPE", "Its type is not configured any more.");
      return;
    }
    addPauses(facts.type());
    if (facts.job() != null) {
      addJob(facts.job());
    }
    if (!facts.isDue()) {
      addNotDue();
    }
    addLimits(facts.type());
    WorkerReasons.addTo(reasons, facts);
    if (facts.ahead() != null && facts.ahead() > 0) {
      reasons.add(
          "BEHIND",
          data("ahead", facts.ahead(), "priority", row.priority()),
          null,
          "WAIT",
          (facts.ahead() == MOST_AHEAD ? "At least " : "")
              + facts.ahead()
              + " due tasks of its stage stand before it.");
    }
    if (reasons.isEmpty() && row.now() - row.dueTime() > LATE_MS) {
      reasons.add(
          "RAN_TO_NOBODY",
          data("dueForMs", row.now() - row.dueTime()),
          null,
          "REPORT_BUG",
          "It is due, and nothing is known that keeps it from running.");
    }
  }

  private void addOwnPause() {
    if (facts.job() != null && facts.job().isPaused()) {
      addJob(facts.job());
      return;
    }
    Optional<DoneAct> act =
        facts.acts().stream().filter(done -> done.act().equals("PAUSE")).findFirst();
    reasons.block(
        "TASK_PAUSED",
        data(
            "since", act.map(DoneAct::time).orElse(row.modifyTime()),
            "by", act.map(DoneAct::by).orElse(null),
            "reason", act.map(DoneAct::reason).filter(text -> !text.isEmpty()).orElse(null)),
        null,
        "RESUME_TASK",
        "It is paused.");
  }

  private void addPauses(TaskTypeConfig type) {
    if (type.paused()) {
      addPause("TYPE_PAUSED", PauseKind.TYPE, "RESUME_TYPE", "Its type is paused.");
    }
    boolean isStagePaused =
        facts.pauses().stream().anyMatch(pause -> pause.kind() == PauseKind.STAGE);
    if (isStagePaused) {
      addPause("STAGE_PAUSED", PauseKind.STAGE, "RESUME_STAGE", "Its stage is paused.");
    }
  }

  private void addPause(String code, PauseKind kind, String todo, String text) {
    Optional<Pause> pause =
        facts.pauses().stream().filter(found -> found.kind() == kind).findFirst();
    Optional<Pause> shown = pause.filter(found -> facts.seesActs());
    reasons.block(
        code,
        data(
            "since", pause.map(Pause::pauseTime).orElse(null),
            "by", shown.map(Pause::operator).orElse(null),
            "reason", shown.map(Pause::reason).orElse(null)),
        pause.map(Pause::until).orElse(null),
        todo,
        text);
  }

  private void addJob(JobFacts job) {
    if (job.isPaused()) {
      reasons.block(
          "JOB_PAUSED", data("jobId", "" + job.id()), null, "RESUME_JOB", "Its job is paused.");
    }
    if (job.state().equals("STOPPING")) {
      reasons.block(
          "JOB_HOLDS",
          data("jobId", "" + job.id(), "state", job.state()),
          null,
          "OPEN_JOB",
          "Its job is being stopped.");
    }
  }

  private void addNotDue() {
    ScheduleLog.Last last = ScheduleLog.last(row.scheduleLog());
    String lastError = facts.seesContents() ? last.error() : null;
    if (row.fire() != null && row.fire().fireTime() > row.now()) {
      reasons.block(
          "FIRE_AHEAD",
          data("scheduleId", "" + row.fire().scheduleId(), "fireTime", row.fire().fireTime()),
          row.orderTime(),
          null,
          "Its schedule made it before its fire time.");
    } else if (Outcome.SNOOZE.name().equals(last.outcome())) {
      notDue("SNOOZED", data("dueAt", row.orderTime()), "Its handler put it off.");
    } else if (row.crtRetryNum() + row.unexpectedNum() > 0) {
      int failures = row.crtRetryNum() + row.unexpectedNum();
      int retries = row.retryPolicy(facts.type()).maxRetries();
      notDue(
          "BACKOFF",
          data(
              "attempt",
              failures + 1,
              "of",
              retries + 1,
              "dueAt",
              row.orderTime(),
              "lastError",
              lastError),
          "It waits for its next attempt, after %s failed ones.".formatted(failures));
    } else {
      notDue("NOT_DUE", data("dueAt", row.orderTime()), "It is not due yet.");
    }
  }

  private void notDue(String code, Map<String, Object> data, String text) {
    reasons.block(code, data, row.orderTime(), "RUN_NOW", text);
  }

  private void addLimits(TaskTypeConfig type) {
    Integer executing = facts.limits().executing();
    if (executing != null && executing >= type.maxExecuting()) {
      reasons.block(
          "LIMIT_EXECUTING",
          data("executing", executing, "limit", type.maxExecuting()),
          null,
          "RAISE_LIMIT",
          "As many tasks of its type execute as may, " + type.maxExecuting() + ".");
    }
    if (facts.limits().nextInMs() > 0) {
      long nextAt = row.now() + facts.limits().nextInMs();
      reasons.block(
          "LIMIT_RATE",
          data("perSecond", type.rateLimit(), "nextAt", nextAt),
          nextAt,
          "RAISE_LIMIT",
          "The rate of its type, " + type.rateLimit() + " a second, is used up.");
    }
  }
}
