package io.asyncflow.flowsvr.operate.bulk;

import io.asyncflow.api.TaskAct;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.bulk.Bulk;
import io.asyncflow.api.bulk.Bulk.Refusal;
import io.asyncflow.api.bulk.BulkAct;
import io.asyncflow.api.bulk.BulkArguments;
import io.asyncflow.api.bulk.BulkState;
import io.asyncflow.api.find.SteerClient.NewDue;
import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.act.Actor;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.rules.TaskActs.Arguments;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;
import tools.jackson.databind.node.ObjectNode;

/**
 * A row of {@code t_bulk}.
 *
 * @param filter the fields of the search
 * @param actor whom it acts for; the trace is that of the request that started it
 * @param granted as {@code CallerRefresh} takes it
 * @param progress how far it has come
 * @param startTime epoch ms, as are the other times; {@code null} before the start
 * @param stoppedMs for how long it was stopped until its last resume
 * @param now the database's epoch ms when the row was read
 */
public record BulkRow(
    long id,
    BulkState state,
    BulkAct act,
    BulkArguments arguments,
    ObjectNode filter,
    long previewTime,
    int expected,
    boolean isExact,
    int cap,
    Actor actor,
    String granted,
    Reason reason,
    Progress progress,
    String error,
    Long startTime,
    long stoppedMs,
    long modifyTime,
    Long endTime,
    long now) {

  /**
   * How far a bulk has come.
   *
   * @param position the cursor after the last page; {@code null} at the begin
   * @param pages number of them; each names the number that it expects
   * @param epoch the term of the leader that wrote the last one
   */
  public record Progress(
      String position,
      int pages,
      long epoch,
      long looked,
      int done,
      int skipped,
      int refused,
      List<Refusal> refusals) {}

  /** The most refusals that are kept. */
  public static final int MOST_REFUSALS = 20;

  /** The act of the single call. */
  public TaskAct taskAct() {
    return TaskAct.valueOf(act.name());
  }

  public Arguments taskArguments() {
    TaskStatus status = arguments.status() == null ? null : TaskStatus.ofCode(arguments.status());
    NewDue due = new NewDue(arguments.runAt(), null, arguments.priority());
    return new Arguments(false, due, status, null, null);
  }

  /** The verb of the single call. */
  public Verb verb() {
    return verbOf(act);
  }

  static Verb verbOf(BulkAct act) {
    return Verb.valueOf(TaskAct.valueOf(act.name()).verb());
  }

  /** The bulk as its callers see it; it has started. */
  Bulk shown() {
    boolean isRunning = state == BulkState.RUNNING;
    int handled = progress.done() + progress.skipped() + progress.refused();
    long ms = now - startTime - stoppedMs;
    Double perSecond = isRunning && ms > 0 ? Math.round(handled * 10_000.0 / ms) / 10.0 : null;
    OptionalDouble left = left(handled);
    boolean hasEnd = perSecond != null && perSecond > 0 && left.isPresent();
    return new Bulk(
        Long.toString(id),
        state,
        act,
        arguments,
        BulkPreviews.filter(filter),
        isExact ? BoundedCount.exactly(expected) : BoundedCount.atLeast(expected),
        cap,
        progress.looked(),
        progress.done(),
        progress.skipped(),
        progress.refused(),
        progress.refusals(),
        error.isEmpty() ? null : error,
        actor.name(),
        reason.operator(),
        reason.text(),
        previewTime,
        startTime,
        modifyTime,
        endTime,
        perSecond,
        hasEnd ? now + (long) (left.getAsDouble() * 1_000 / perSecond) : null);
  }

  /**
   * How many tasks it looks at before it ends: with the last one, or at its cap, as far as either
   * can be said.
   */
  private OptionalDouble left(int handled) {
    int done = progress.done();
    DoubleStream.Builder ends = DoubleStream.builder();
    if (isExact) {
      ends.add(expected - handled);
    }
    if (expected >= cap && done > 0) {
      ends.add((double) (cap - done) * handled / done);
    }
    return ends.build().map(tasks -> Math.max(0, tasks)).min();
  }
}
