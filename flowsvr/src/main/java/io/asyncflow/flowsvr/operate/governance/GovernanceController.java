package io.asyncflow.flowsvr.operate.governance;

import io.asyncflow.flowsvr.base.leader.LeaderElection;
import io.asyncflow.flowsvr.base.system.db.DatabaseWatch;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.flowsvr.task.number.LiveServers;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/governance")
class GovernanceController {

  private final LiveServers servers;
  private final LeaderElection election;
  private final DutyRunStore runs;
  private final DatabaseWatch database;

  GovernanceController(
      LiveServers servers, DatabaseWatch database, LeaderElection election, DutyRunStore runs) {
    this.servers = servers;
    this.database = database;
    this.election = election;
    this.runs = runs;
  }

  @Takes(summary = "Shows the servers, the leader, and the last run of each duty")
  @Needs(Verb.GOVERN_READ)
  @GetOrPost("/status")
  Envelope<GovernanceStatus> status(Caller caller) {
    caller.requireAll();
    LeaderElection.Leadership leadership = election.current();
    return Envelope.ok(
        new GovernanceStatus(
            servers.list(),
            leadership.leader().isEmpty() ? null : leadership.leader(),
            leadership.term(),
            leadership.leaseMs(),
            database.writers(),
            runs.all()));
  }
}
