package io.asyncflow.flowsvr.queue.hold;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.error.DatabaseTrouble;
import io.asyncflow.flowsvr.edge.web.load.OpenCalls;
import io.asyncflow.flowsvr.edge.web.load.UndeliveredAnswers;
import io.asyncflow.flowsvr.edge.web.load.WaitingRequests;
import io.asyncflow.flowsvr.edge.web.load.WaitingRequests.Kind;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.flowsvr.queue.claim.Hold;
import io.asyncflow.flowsvr.queue.report.ReportList;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

/** Answers hold calls: at once, or from another thread when a parked hold gets tasks. */
@RestController
@RequestMapping("/api/task")
class HoldController {

  private static final Logger log = LoggerFactory.getLogger(HoldController.class);

  private final TaskTypes types;
  private final TaskHolds holds;
  private final OpenHolds open;
  private final ReportList reports;
  private final OpenCalls calls;
  private final DisconnectWatch hangUps;
  private final WaitingRequests waiting;

  HoldController(
      TaskTypes types,
      TaskHolds holds,
      OpenHolds open,
      ReportList reports,
      OpenCalls calls,
      DisconnectWatch hangUps,
      WaitingRequests waiting) {
    this.types = types;
    this.holds = holds;
    this.open = open;
    this.reports = reports;
    this.calls = calls;
    this.hangUps = hangUps;
    this.waiting = waiting;
  }

  /**
   * @param outcomes {@code null} if the call carried no reports
   * @param drain whether the worker shall drain; {@code null} for no
   * @param drainGraceMs milliseconds after which it interrupts what it runs; {@code null} for never
   * @param minWorkerVersion the lowest version that gets tasks, if the worker's is lower; else
   *     {@code null}
   * @param paused whether the worker is paused; {@code null} for no
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Held(
      List<Task> taskList,
      List<ReportResult> outcomes,
      Boolean drain,
      Long drainGraceMs,
      Integer minWorkerVersion,
      Boolean paused) {}

  /**
   * A hold that carries reports is not parked, because the worker waits for their outcomes. If the
   * hold itself fails, the answer has the outcomes and no tasks.
   */
  @Takes(summary = "Holds due tasks of a type", shape = HoldRequest.class)
  @Needs(Verb.WORK_HOLD)
  @GetOrPost({"/hold_task", "/holdTask"})
  DeferredResult<Envelope<Held>> hold(Fields in, Caller caller, HttpServletRequest request) {
    Hold hold = HoldForm.read(in, caller);
    if (!in.has("reports")) {
      return answer(hold, holdInShare(hold, request.getRemoteAddr()), null, request);
    }
    // Before the reports are accepted: a hold that is refused changes nothing.
    TaskHolds.refuseIfUnheard(hold, types.require(hold.type()));
    List<ReportResult> outcomes = reports.take(in, caller);
    return answer(hold, holdAtOnce(hold), outcomes, request);
  }

  /** Holds tasks. A hold that may wait counts against the caller's share until it is answered. */
  CompletableFuture<List<Task>> holdInShare(Hold hold, String address) {
    if (!hold.waits()) {
      return holds.hold(hold);
    }
    Runnable leave =
        hold.workerId().isEmpty()
            ? waiting.enter(Kind.HOLD_OF_ADDRESS, address)
            : waiting.enter(Kind.HOLD_OF_WORKER, hold.workerId());
    try {
      CompletableFuture<List<Task>> tasks = holds.hold(hold);
      Runnable over = calls.add(() -> tasks.cancel(false)); // it ends with the key
      tasks.whenComplete(
          (held, failure) -> {
            leave.run();
            over.run();
          });
      return tasks;
    } catch (Throwable e) {
      leave.run();
      throw e;
    }
  }

  private CompletableFuture<List<Task>> holdAtOnce(Hold hold) {
    try {
      return holds.hold(hold);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** The answer to a hold, once its tasks are known. */
  DeferredResult<Envelope<Held>> answer(
      Hold hold,
      CompletableFuture<List<Task>> tasks,
      List<ReportResult> outcomes,
      HttpServletRequest request) {
    DeferredResult<Envelope<Held>> answer = new DeferredResult<>();
    if (!hold.isRepeatable()) { // otherwise a repeat may have been given the same tasks
      UndeliveredAnswers.whenGone(
          request,
          () -> {
            holds.release(tasks);
            return answerOf(hold, List.of(), outcomes);
          });
    }
    Runnable answering = hangUps.watch(request, tasks);
    answer.onTimeout(() -> tasks.cancel(false));
    answer.onError(failure -> tasks.cancel(false)); // the client is gone: take no tasks for it
    tasks.whenComplete(
        (held, failure) -> {
          answering.run();
          boolean isError = failure != null && !tasks.isCancelled();
          if (isError && (outcomes == null || DatabaseTrouble.leavesUnknown(failure))) {
            answer.setErrorResult(failure);
            return;
          }
          if (isError) { // an error would mean that nothing was changed, but reports were accepted
            log.warn(
                "a hold failed after its reports were accepted; it is answered without tasks",
                failure);
          }
          answer.setResult(answerOf(hold, failure == null ? held : List.of(), outcomes));
        });
    return answer;
  }

  private Envelope<Held> answerOf(Hold hold, List<Task> tasks, List<ReportResult> outcomes) {
    Optional<OpenHolds.Drain> drain = open.drainOf(hold.workerId(), hold.startId());
    return Envelope.ok(
        new Held(
            tasks,
            outcomes,
            drain.isPresent() ? Boolean.TRUE : null,
            drain.map(OpenHolds.Drain::graceMs).orElse(null),
            minWorkerVersion(hold),
            holds.isPaused(hold) ? Boolean.TRUE : null));
  }

  private Integer minWorkerVersion(Hold hold) {
    return types
        .lastKnown(hold.type())
        .filter(hold::isTooOldFor)
        .map(TaskTypeConfig::minWorkerVersion)
        .orElse(null);
  }
}
