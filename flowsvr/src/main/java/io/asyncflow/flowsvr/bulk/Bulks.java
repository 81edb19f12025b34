package io.asyncflow.flowsvr.bulk;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.bulk.Bulk;
import io.asyncflow.api.bulk.BulkPage;
import io.asyncflow.api.bulk.BulkState;
import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.act.Act;
import io.asyncflow.flowsvr.act.Acts;
import io.asyncflow.flowsvr.act.CurrentActor;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.web.read.InvalidFieldException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;
import org.springframework.stereotype.Service;

/**
 * Starts, shows, stops and resumes bulks. A caller sees its own, and all of them if nothing lies
 * outside of its scope. Thread-safe.
 */
@Service
class Bulks {

  private final BulkStore store;
  private final Acts acts;
  private final CurrentActor current;
  private final RetryingTransactions transactions;
  private final Events events;

  Bulks(
      BulkStore store,
      Acts acts,
      CurrentActor current,
      RetryingTransactions transactions,
      Events events) {
    this.store = store;
    this.acts = acts;
    this.current = current;
    this.transactions = transactions;
    this.events = events;
  }

  /**
   * Starts a preview; does nothing if it was started: the answer may have been lost.
   *
   * @param count of the tasks that it has found
   * @throws FlowException with {@link ErrorCode#PREVIEW_OVER} if the token starts nothing
   */
  long start(BulkToken token, long count, Reason why, Caller caller) {
    transactions.execute(
        () -> {
          BulkRow preview =
              store.lock(token.id(), token.hash(), caller.principal()).orElseThrow(Bulks::over);
          if (preview.state() != BulkState.PREVIEWED) {
            return null;
          }
          caller.require(preview.verb());
          if (count != preview.expected()) {
            throw new InvalidFieldException(
                "count", "must be what the preview has found: " + preview.expected());
          }
          store.start(preview.id(), current.get(), why);
          acts.record(Act.of("START_BULK", objectOf(preview.id())).by(why).with(detail(preview)));
          return null;
        });
    events.publish(new BulksChanged());
    return token.id();
  }

  private static FlowException over() {
    return new FlowException(
        ErrorCode.PREVIEW_OVER,
        "this token starts nothing: its ten minutes are over, or it is not yours; preview again");
  }

  private static Map<String, Object> detail(BulkRow preview) {
    Map<String, Object> detail = new LinkedHashMap<>();
    detail.put("act", preview.act());
    detail.put("arguments", preview.arguments());
    detail.put("filter", preview.filter());
    detail.put("expected", preview.expected());
    detail.put("cap", preview.cap());
    return detail;
  }

  private static String objectOf(long id) {
    return "bulk:" + id;
  }

  /**
   * @throws FlowException with {@link ErrorCode#NO_SUCH_BULK} if there is none that the caller sees
   */
  Bulk get(long id, Caller caller) {
    return viewOf(require(id, caller));
  }

  private BulkRow require(long id, Caller caller) {
    return store
        .find(id)
        .filter(row -> row.state() != BulkState.PREVIEWED && sees(caller, row))
        .orElseThrow(
            () ->
                new FlowException(
                    ErrorCode.NO_SUCH_BULK,
                    "there is no bulk "
                        + id
                        + " of yours: there never was, or it ended long ago"));
  }

  private static boolean sees(Caller caller, BulkRow row) {
    return !caller.isScoped() || caller.principal().equals(row.actor().name());
  }

  BulkPage list(long before, int limit, Caller caller) {
    List<BulkRow> rows = store.list(caller.isScoped() ? caller.principal() : null, before, limit);
    String next = rows.size() < limit ? null : Long.toString(rows.get(limit - 1).id());
    return new BulkPage(rows.stream().map(Bulks::viewOf).toList(), next);
  }

  /** Stops a bulk that runs, before its next page; does nothing if it is stopped. */
  void stop(long id, Reason why, Caller caller) {
    change(id, BulkState.RUNNING, BulkState.STOPPED, "STOP_BULK", why, caller);
  }

  /** Lets a stopped bulk go on; does nothing if it runs. */
  void resume(long id, Reason why, Caller caller) {
    change(id, BulkState.STOPPED, BulkState.RUNNING, "RESUME_BULK", why, caller);
    events.publish(new BulksChanged());
  }

  private void change(
      long id, BulkState from, BulkState to, String act, Reason why, Caller caller) {
    transactions.execute(
        () -> {
          BulkRow bulk = require(id, caller);
          caller.require(bulk.verb());
          if (store.change(id, from, to)) {
            acts.record(Act.of(act, objectOf(id)).by(why));
          } else if (require(id, caller).state() != to) {
            throw new FlowException(
                ErrorCode.TRANSITION_NOT_ALLOWED,
                "the bulk " + id + " has ended: it is " + require(id, caller).state());
          }
          return null;
        });
  }

  private static Bulk viewOf(BulkRow row) {
    BulkRow.Progress progress = row.progress();
    boolean isRunning = row.state() == BulkState.RUNNING;
    int handled = progress.done() + progress.skipped() + progress.refused();
    long ms = row.now() - row.startTime() - row.stoppedMs();
    Double perSecond = isRunning && ms > 0 ? Math.round(handled * 10_000.0 / ms) / 10.0 : null;
    OptionalDouble left = left(row, handled);
    boolean hasEnd = perSecond != null && perSecond > 0 && left.isPresent();
    return new Bulk(
        Long.toString(row.id()),
        row.state(),
        row.act(),
        row.arguments(),
        BulkPreviews.filter(row.filter()),
        row.isExact() ? BoundedCount.exactly(row.expected()) : BoundedCount.atLeast(row.expected()),
        row.cap(),
        progress.looked(),
        progress.done(),
        progress.skipped(),
        progress.refused(),
        progress.refusals(),
        row.error().isEmpty() ? null : row.error(),
        row.actor().name(),
        row.reason().operator(),
        row.reason().text(),
        row.previewTime(),
        row.startTime(),
        row.modifyTime(),
        row.endTime(),
        perSecond,
        hasEnd ? row.now() + (long) (left.getAsDouble() * 1_000 / perSecond) : null);
  }

  /**
   * How many tasks it looks at before it ends: with the last one, or at its cap, as far as either
   * can be said.
   */
  private static OptionalDouble left(BulkRow row, int handled) {
    int done = row.progress().done();
    DoubleStream.Builder ends = DoubleStream.builder();
    if (row.isExact()) {
      ends.add(row.expected() - handled);
    }
    if (row.expected() >= row.cap() && done > 0) {
      ends.add((double) (row.cap() - done) * handled / done);
    }
    return ends.build().map(tasks -> Math.max(0, tasks)).min();
  }
}
