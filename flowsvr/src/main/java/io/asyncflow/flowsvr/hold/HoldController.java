package io.asyncflow.flowsvr.hold;

import static org.springframework.web.bind.annotation.RequestMethod.GET;
import static org.springframework.web.bind.annotation.RequestMethod.POST;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.claim.Hold;
import io.asyncflow.flowsvr.report.ReportList;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.flowsvr.web.Envelope;
import io.asyncflow.flowsvr.web.error.DatabaseTrouble;
import io.asyncflow.flowsvr.web.load.CallerShare;
import io.asyncflow.flowsvr.web.load.GoneCallers;
import io.asyncflow.flowsvr.web.load.WaitingRequests;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.flowsvr.web.read.Takes;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

/** Answers holds: at once, or from another thread when a parked one has been served. */
@RestController
@RequestMapping("/api/task")
class HoldController {

  private static final Logger log = LoggerFactory.getLogger(HoldController.class);

  private final TaskTypes types;
  private final TaskHolds holds;
  private final OpenHolds open;
  private final ReportList reports;
  private final CallerShare ofWorkers;
  private final CallerShare ofAddresses;

  HoldController(
      TaskTypes types,
      TaskHolds holds,
      OpenHolds open,
      ReportList reports,
      WaitingRequests waiting,
      @Value("${flow.max-holds-per-worker:128}") int holdsPerWorker,
      @Value("${flow.max-holds-per-address:256}") int holdsPerAddress) {
    this.types = types;
    this.holds = holds;
    this.open = open;
    this.reports = reports;
    this.ofWorkers = new CallerShare(waiting, holdsPerWorker, "holds of this worker");
    this.ofAddresses =
        new CallerShare(waiting, holdsPerAddress, "holds without a workerId, of one address,");
  }

  /**
   * @param outcomes {@code null} where no reports came along
   * @param drain whether the worker shall leave; {@code null} for no
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Held(List<Task> taskList, List<ReportResult> outcomes, Boolean drain) {}

  /**
   * A hold that takes reports along is not parked: whoever sent them waits for what became of them.
   * If it fails after that, they are answered all the same, and no tasks.
   */
  @Takes(summary = "Holds due tasks of a type", shape = HoldRequest.class)
  @RequestMapping(
      path = {"/hold_task", "/holdTask"},
      method = {GET, POST})
  DeferredResult<Envelope<Held>> hold(Fields in, HttpServletRequest request) {
    Hold hold = HoldForm.read(in);
    if (!in.has("reports")) {
      return answer(hold, holdInShare(hold, request.getRemoteAddr()), null, request);
    }
    types.require(hold.type()); // nothing is taken for a hold that is refused
    List<ReportResult> outcomes = reports.take(in);
    return answer(hold, holdAtOnce(hold), outcomes, request);
  }

  /** One that does not wait is over soon, and needs no share. */
  CompletableFuture<List<Task>> holdInShare(Hold hold, String address) {
    if (hold.waitTime().isZero()) {
      return holds.hold(hold);
    }
    CallerShare share = hold.workerId().isEmpty() ? ofAddresses : ofWorkers;
    String caller = hold.workerId().isEmpty() ? address : hold.workerId();
    share.enter(caller);
    boolean leaves = false;
    try {
      CompletableFuture<List<Task>> tasks = holds.hold(hold);
      tasks.whenComplete((held, failure) -> share.leave(caller));
      leaves = true;
      return tasks;
    } finally {
      if (!leaves) { // whatever was thrown
        share.leave(caller);
      }
    }
  }

  private CompletableFuture<List<Task>> holdAtOnce(Hold hold) {
    try {
      return holds.hold(hold.atOnce());
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private DeferredResult<Envelope<Held>> answer(
      Hold hold,
      CompletableFuture<List<Task>> tasks,
      List<ReportResult> outcomes,
      HttpServletRequest request) {
    DeferredResult<Envelope<Held>> answer = new DeferredResult<>();
    if (!hold.isRepeatable()) { // else a repeat may have been told of them
      GoneCallers.whenGone(
          request,
          () -> {
            holds.giveBack(tasks);
            return told(hold, List.of(), outcomes);
          });
    }
    answer.onTimeout(() -> tasks.cancel(false));
    answer.onError(failure -> tasks.cancel(false)); // the client is gone: take nothing for it
    tasks.whenComplete(
        (held, failure) -> {
          if (tasks.isCancelled()) {
            answer.setResult(told(hold, List.of(), outcomes));
          } else if (failure == null) {
            answer.setResult(told(hold, held, outcomes));
          } else if (outcomes == null || DatabaseTrouble.leavesUnknown(failure)) {
            answer.setErrorResult(failure);
          } else { // an error would say that nothing was changed, but the reports were taken
            log.warn("a hold failed, and was told of its reports alone", failure);
            answer.setResult(told(hold, List.of(), outcomes));
          }
        });
    return answer;
  }

  private Envelope<Held> told(Hold hold, List<Task> tasks, List<ReportResult> outcomes) {
    return Envelope.ok(
        new Held(
            tasks,
            outcomes,
            open.isSentAway(hold.workerId(), hold.startId()) ? Boolean.TRUE : null));
  }
}
