package io.asyncflow.flowsvr.governance;

import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Needs;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.leader.LeaderElection;
import io.asyncflow.flowsvr.number.LiveServers;
import io.asyncflow.flowsvr.web.Envelope;
import io.asyncflow.flowsvr.web.read.GetOrPost;
import io.asyncflow.flowsvr.web.read.Takes;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/governance")
class GovernanceController {

  private final LiveServers servers;
  private final LeaderElection election;
  private final DutyRunStore runs;

  GovernanceController(LiveServers servers, LeaderElection election, DutyRunStore runs) {
    this.servers = servers;
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
            runs.all()));
  }
}
