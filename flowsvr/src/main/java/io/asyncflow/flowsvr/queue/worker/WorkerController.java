package io.asyncflow.flowsvr.queue.worker;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.rules.field.PageFields;
import java.time.Duration;
import java.util.List;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/worker")
class WorkerController {

  private static final long MAX_AGE_MS = 60_000;
  private static final int WORKER_ID = 64;
  private static final int OPERATOR = 128;
  private static final int REASON = 1_000;

  /** A day; a worker that shall finish what it runs gets no grace at all. */
  private static final long MAX_GRACE_MS = 86_400_000;

  private final WorkerRegistry workers;

  WorkerController(WorkerRegistry workers) {
    this.workers = workers;
  }

  record ListWorkers(Integer limit, Long maxAgeMs) {}

  record GetWorker(String workerId, Long maxAgeMs) {}

  record Drain(String workerId, Integer undo, Long graceMs, String operator, String reason) {}

  record Workers(List<WorkerView> workerList) {}

  record Found(WorkerView workerData) {}

  @Takes(summary = "Lists workers, the one that beat last first", shape = ListWorkers.class)
  @Needs(Verb.WORKER_READ)
  @GetOrPost("/list")
  Envelope<Workers> list(Fields in, Caller caller) {
    int limit = PageFields.limit(in);
    Duration maxAge = maxAge(in);
    in.refuseIfBad();
    return Envelope.ok(new Workers(workers.list(limit, caller.workers(), maxAge)));
  }

  @Takes(summary = "Reads a worker", shape = GetWorker.class)
  @Needs(Verb.WORKER_READ)
  @GetOrPost("/get")
  Envelope<Found> get(Fields in, Caller caller) {
    String workerId = in.text("workerId").required().name().max(WORKER_ID).value();
    Duration maxAge = maxAge(in);
    in.refuseIfBad();
    return workers
        .find(workerId, caller.workers(), maxAge)
        .map(worker -> Envelope.ok(new Found(worker)))
        .orElseThrow(
            () ->
                new FlowException(
                    ErrorCode.NO_SUCH_OBJECT,
                    "no worker " + workerId + " has sent a heartbeat for a day"));
  }

  /** How long ago this server may have written what its workers told it. */
  private static Duration maxAge(Fields in) {
    return Duration.ofMillis(in.number("maxAgeMs").between(0, MAX_AGE_MS).or(0));
  }

  /**
   * Drains a worker; {@code undo} cancels a drain that the worker has not received yet. With {@code
   * graceMs} the worker then interrupts what it still runs, and releases it.
   */
  @Takes(summary = "Tells a worker to stop polling, finish its tasks and stop", shape = Drain.class)
  @Needs(Verb.WORKER_DRAIN)
  @PostMapping("/drain")
  Envelope<Void> drain(Fields in, Caller caller) {
    String workerId = in.text("workerId").required().name().max(WORKER_ID).value();
    boolean undo = in.number("undo").between(0, 1).or(0) == 1;
    Long graceMs = in.number("graceMs").between(0, MAX_GRACE_MS).asLong();
    String operator = in.text("operator").max(OPERATOR).or("");
    String reason = in.text("reason").max(REASON).or("");
    in.refuseIfBad();
    caller.requireSeenWorker(workerId);
    if (!workers.drain(workerId, !undo, graceMs, operator, reason)) {
      in.refuse("workerId", "names no worker that has beaten lately");
      in.refuseIfBad();
    }
    return Envelope.ok(null);
  }
}
