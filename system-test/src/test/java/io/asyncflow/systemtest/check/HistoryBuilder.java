package io.asyncflow.systemtest.check;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.JobState;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.ReportResult;
import io.asyncflow.systemtest.history.Act;
import io.asyncflow.systemtest.history.Audit;
import io.asyncflow.systemtest.history.Audit.Job;
import io.asyncflow.systemtest.history.Audit.Position;
import io.asyncflow.systemtest.history.Audit.Row;
import io.asyncflow.systemtest.history.Event;
import io.asyncflow.systemtest.history.History;
import io.asyncflow.systemtest.history.Phase;
import io.asyncflow.systemtest.invariant.Rules;
import io.asyncflow.systemtest.worker.JobScript;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A history, made line by line. Each call takes 2 ms, and begins when the one before has ended.
 * Leases are 3 s.
 */
final class HistoryBuilder {

  static final Rules RULES =
      new Rules(3, Duration.ofSeconds(-1), null, Duration.ofSeconds(20), Duration.ofSeconds(30));
  private static final long LEASE_MS = 3_000;

  private final List<Event> events = new ArrayList<>();
  private final List<Row> rows = new ArrayList<>();
  private final List<Job> jobs = new ArrayList<>();
  private int begin = 1;
  private int end = 1;
  private long now = 1_000_000_000;
  private long call;

  static HistoryBuilder history() {
    return new HistoryBuilder();
  }

  /** A task that runs through its three stages: context "0" becomes "1", "2" and the result "3". */
  HistoryBuilder aSmoothLifeOf(String task, String key) {
    return created(task, key)
        .held(task, 1, "a", "0")
        .handedOn(task, 1, "b", "1")
        .held(task, 2, "b", "1")
        .handedOn(task, 2, "c", "2")
        .held(task, 3, "c", "2")
        .succeeded(task, 3, "3")
        .row(task, key, "c", 4, 0, 3, "2", "3");
  }

  HistoryBuilder later(Duration time) {
    now += time.toNanos();
    return this;
  }

  HistoryBuilder created(String task, String key) {
    return created(task, key, null);
  }

  HistoryBuilder created(String task, String key, Long delayMs) {
    return answered(
        create(Phase.INVOKE, key).delayMs(delayMs),
        create(Phase.OK, key).delayMs(delayMs).task(task));
  }

  HistoryBuilder createdWithoutAnswer(String key) {
    invoked(create(Phase.INVOKE, key));
    return this;
  }

  private static Event create(Phase phase, String key) {
    return Event.draft(Act.CREATE, phase).key(key).stage("a").text("0");
  }

  HistoryBuilder held(String task, int epoch, String stage, String text) {
    return held(task, epoch, stage, text, 0, "worker-" + epoch);
  }

  HistoryBuilder held(
      String task, int epoch, String stage, String text, int failures, String worker) {
    return answered(
        Event.draft(Act.HOLD, Phase.INVOKE).worker(worker).key("hold-" + call),
        given(task, epoch, stage, text, failures, worker).status(2));
  }

  HistoryBuilder heldWithStatus(String task, int epoch, int status) {
    String worker = "worker-" + epoch;
    return answered(
        Event.draft(Act.HOLD, Phase.INVOKE).worker(worker).key("hold-" + call),
        given(task, epoch, "a", "0", 0, worker).status(status));
  }

  private Event given(
      String task, int epoch, String stage, String text, int failures, String worker) {
    return Event.draft(Act.HOLD, Phase.OK)
        .worker(worker)
        .key("hold-" + call)
        .task(task)
        .epoch(epoch)
        .stage(stage)
        .text(text)
        .failures(failures)
        .leaseMs(LEASE_MS);
  }

  HistoryBuilder handedOn(String task, int epoch, String nextStage, String text) {
    return reported(task, epoch, "r" + epoch, Outcome.NEXT_STAGE, nextStage, text, null);
  }

  HistoryBuilder succeeded(String task, int epoch, String result) {
    return reported(task, epoch, "r" + epoch, Outcome.SUCCESS, null, result, null);
  }

  HistoryBuilder reported(String task, int epoch, Outcome outcome) {
    return reported(task, epoch, "r" + epoch, outcome, null, null, null);
  }

  HistoryBuilder snoozed(String task, int epoch, long delayMs) {
    return reported(task, epoch, "r" + epoch, Outcome.SNOOZE, null, null, delayMs);
  }

  HistoryBuilder reported(
      String task,
      int epoch,
      String reportId,
      Outcome outcome,
      String nextStage,
      String text,
      Long delayMs) {
    Event invoke = report(Phase.INVOKE, task, epoch, reportId, outcome, nextStage, text, delayMs);
    Event ok = report(Phase.OK, task, epoch, reportId, outcome, nextStage, text, delayMs);
    return answered(invoke, ok.answer(ReportResult.Verdict.ACCEPTED.name()));
  }

  HistoryBuilder handedOnWithoutAnswer(String task, int epoch, String nextStage, String text) {
    invoked(
        report(Phase.INVOKE, task, epoch, "r" + epoch, Outcome.NEXT_STAGE, nextStage, text, null));
    return this;
  }

  HistoryBuilder retriedWithoutAnswer(String task, int epoch) {
    invoked(report(Phase.INVOKE, task, epoch, "r" + epoch, Outcome.RETRY, null, null, null));
    return this;
  }

  HistoryBuilder retriedBefore(String task, int epoch) {
    Event ok = report(Phase.OK, task, epoch, "r" + epoch, Outcome.RETRY, null, null, null);
    return answered(
        report(Phase.INVOKE, task, epoch, "r" + epoch, Outcome.RETRY, null, null, null),
        ok.answer(ReportResult.Verdict.ALREADY_DONE.name()));
  }

  HistoryBuilder replayAnswered(
      String task, int epoch, String nextStage, String text, String answer) {
    boolean stands = answer.equals(ReportResult.Verdict.ALREADY_DONE.name());
    String id = "r" + epoch;
    return answered(
        report(Phase.INVOKE, task, epoch, id, Outcome.NEXT_STAGE, nextStage, text, null),
        report(
                stands ? Phase.OK : Phase.FAIL,
                task,
                epoch,
                id,
                Outcome.NEXT_STAGE,
                nextStage,
                text,
                null)
            .answer(answer));
  }

  private static Event report(
      Phase phase,
      String task,
      int epoch,
      String reportId,
      Outcome outcome,
      String nextStage,
      String text,
      Long delayMs) {
    return Event.draft(Act.REPORT, phase)
        .task(task)
        .epoch(epoch)
        .key(reportId)
        .outcome(outcome.name())
        .nextStage(nextStage)
        .text(text)
        .delayMs(delayMs);
  }

  HistoryBuilder renewed(String task, int epoch) {
    return answered(
        Event.draft(Act.BEAT, Phase.INVOKE).task(task).epoch(epoch),
        Event.draft(Act.BEAT, Phase.OK)
            .task(task)
            .epoch(epoch)
            .outcome("EXTENDED")
            .leaseMs(LEASE_MS));
  }

  HistoryBuilder ran(String task, int epoch, String stage) {
    return answered(
        Event.draft(Act.RUN, Phase.INVOKE).task(task).epoch(epoch).stage(stage),
        Event.draft(Act.RUN, Phase.OK).task(task).epoch(epoch).stage(stage));
  }

  HistoryBuilder read(String task, int epoch, int status) {
    return answered(
        Event.draft(Act.READ, Phase.INVOKE).task(task),
        Event.draft(Act.READ, Phase.OK).task(task).epoch(epoch).status(status));
  }

  HistoryBuilder notFound(String task) {
    return answered(
        Event.draft(Act.READ, Phase.INVOKE).task(task),
        Event.draft(Act.READ, Phase.FAIL).task(task).code(ErrorCode.NO_SUCH_TASK.code()));
  }

  HistoryBuilder readFailed(String task, ErrorCode code) {
    return answered(
        Event.draft(Act.READ, Phase.INVOKE).task(task),
        Event.draft(Act.READ, Phase.UNKNOWN).task(task).code(code.code()).answer("sorry"));
  }

  HistoryBuilder cancelled(String task) {
    return answered(
        Event.draft(Act.CANCEL, Phase.INVOKE).task(task),
        Event.draft(Act.CANCEL, Phase.OK).task(task));
  }

  HistoryBuilder revoked(String task) {
    return answered(
        Event.draft(Act.REVOKE, Phase.INVOKE).task(task),
        Event.draft(Act.REVOKE, Phase.OK).task(task));
  }

  HistoryBuilder position(int seenBegin, int seenEnd) {
    begin = seenBegin;
    end = seenEnd;
    return answered(
        Event.draft(Act.POSITION, Phase.INVOKE).status(seenBegin).epoch(seenEnd),
        Event.draft(Act.POSITION, Phase.OK).status(seenBegin).epoch(seenEnd));
  }

  HistoryBuilder broken() {
    return broken(null);
  }

  /**
   * @param sufferers names with commas between them; {@code null} for everybody
   */
  HistoryBuilder broken(String sufferers) {
    return answered(
        Event.draft(Act.FAULT, Phase.INVOKE).outcome("something").worker(sufferers),
        Event.draft(Act.FAULT, Phase.OK).outcome("something").worker(sufferers));
  }

  HistoryBuilder healed() {
    now += 1_000_000;
    events.add(Event.draft(Act.HEALED, Phase.OK).at(now, "test", ++call));
    return this;
  }

  HistoryBuilder row(
      String task,
      String key,
      String stage,
      int status,
      int failures,
      int epoch,
      String context,
      String result) {
    long number = Long.parseLong(task.substring(0, task.indexOf('_')));
    int table = Integer.parseInt(task.substring(task.lastIndexOf('_') + 1));
    rows.add(
        new Row(
            task, number, table, key, stage, status, failures, epoch, context, result, null, null));
    return this;
  }

  /** A job of children whose contexts are these, as the answer to its creation. */
  HistoryBuilder jobCreated(String job, String key, String... contexts) {
    return answered(
        jobLine(Phase.INVOKE, key, contexts), jobLine(Phase.OK, key, contexts).task(job));
  }

  HistoryBuilder jobCreatedWithoutAnswer(String key, String... contexts) {
    invoked(jobLine(Phase.INVOKE, key, contexts));
    return this;
  }

  private static Event jobLine(Phase phase, String key, String... contexts) {
    return Event.draft(Act.CREATE_JOB, phase)
        .key(key)
        .text(new JobScript(List.of(contexts)).json());
  }

  HistoryBuilder jobCancelled(String job) {
    return answered(
        Event.draft(Act.CANCEL_JOB, Phase.INVOKE).task(job),
        Event.draft(Act.CANCEL_JOB, Phase.OK).task(job));
  }

  /** A task of a job that was held once, and has succeeded. */
  HistoryBuilder done(String task, String stage, String context, String result) {
    return held(task, 1, stage, context).succeeded(task, 1, result);
  }

  /** The row of a task that was held once. */
  HistoryBuilder rowOf(
      String job,
      int index,
      String task,
      String key,
      String stage,
      int status,
      String context,
      String result) {
    long number = Long.parseLong(task.substring(0, task.indexOf('_')));
    rows.add(new Row(task, number, 1, key, stage, status, 0, 1, context, result, job, index));
    return this;
  }

  /** The row of a job, all of whose children are tasks if it was split. */
  HistoryBuilder jobRow(
      String job,
      String key,
      JobState state,
      Integer total,
      int done,
      int failed,
      int cancelled,
      String result) {
    jobs.add(
        new Job(
            job, key, state, total, total == null ? 0 : total, done, failed, cancelled, result));
    return this;
  }

  private HistoryBuilder answered(Event invoke, Event end) {
    long number = invoked(invoke);
    now += 1_000_000;
    events.add(end.at(now, "test", number));
    return this;
  }

  private long invoked(Event invoke) {
    now += 1_000_000;
    events.add(invoke.at(now, "test", ++call));
    return call;
  }

  Verdict judged() {
    return new HistoryChecker(RULES)
        .check(History.of(events), new Audit(rows, jobs, new Position(begin, end)));
  }
}
