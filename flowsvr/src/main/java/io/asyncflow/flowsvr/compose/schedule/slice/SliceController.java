package io.asyncflow.flowsvr.compose.schedule.slice;

import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.flowsvr.task.number.LiveServers;
import org.springframework.web.bind.annotation.RestController;

@RestController
class SliceController {

  private final SliceStore store;
  private final LiveServers servers;

  SliceController(SliceStore store, LiveServers servers) {
    this.store = store;
    this.servers = servers;
  }

  @Takes(summary = "Shows which server fires which slice of the schedules")
  @Needs(Verb.SCHEDULE_READ)
  @GetOrPost("/api/schedule/slices")
  Envelope<SlicesView> slices(Caller caller) {
    caller.requireAll();
    return Envelope.ok(
        SlicesView.of(
            servers.list(),
            servers.thatBeatWithin(SliceRounds.ALIVE),
            store.all(),
            store.lateMs()));
  }
}
