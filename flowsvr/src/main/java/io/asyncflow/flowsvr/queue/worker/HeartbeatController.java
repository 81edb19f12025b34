package io.asyncflow.flowsvr.queue.worker;

import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.HeartbeatAnswer.LeaseState;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.flowsvr.queue.hold.OpenHolds.Drain;
import io.asyncflow.flowsvr.queue.lease.LeaseRenewer;
import io.asyncflow.flowsvr.queue.lease.ParsedBeat;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.field.FieldSource;
import io.asyncflow.rules.field.HoldFields;
import io.asyncflow.rules.field.TaskFields;
import java.util.List;
import java.util.Optional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/worker")
class HeartbeatController {

  private final LeaseRenewer leases;
  private final WorkerRegistry workers;

  HeartbeatController(LeaseRenewer leases, WorkerRegistry workers) {
    this.leases = leases;
    this.workers = workers;
  }

  @Takes(summary = "Renews the leases of what a worker holds", shape = Heartbeat.class)
  @Needs(Verb.WORK_BEAT)
  @PostMapping("/heartbeat")
  Envelope<HeartbeatAnswer> heartbeat(Fields in, Caller caller) {
    String workerId = HoldFields.beatingWorker(in);
    List<ParsedBeat> beats =
        HoldFields.heldTasks(in).stream().map(HeartbeatController::parsedBeat).toList();
    WorkerBeat beat = WorkerBeat.read(workerId, beats.size(), in);
    in.refuseIfBad();
    caller.requireWorker(workerId);
    List<LeaseState> states = leases.renew(workerId, beats, caller);
    // A caller without workers of its own could write the row of somebody else's worker.
    Optional<Drain> drain =
        caller.seesWorker(workerId) ? workers.beat(beat.by(caller), caller) : Optional.empty();
    return Envelope.ok(
        new HeartbeatAnswer(states, drain.isPresent(), drain.map(Drain::graceMs).orElse(null)));
  }

  private static ParsedBeat parsedBeat(FieldSource in) {
    TaskId id = TaskFields.taskId(in);
    return new ParsedBeat(id, HoldFields.heldTask(in, id));
  }
}
