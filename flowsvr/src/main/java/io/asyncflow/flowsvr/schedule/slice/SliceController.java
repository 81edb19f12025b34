package io.asyncflow.flowsvr.schedule.slice;

import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Needs;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.number.LiveServers;
import io.asyncflow.flowsvr.web.Envelope;
import io.asyncflow.flowsvr.web.read.GetOrPost;
import io.asyncflow.flowsvr.web.read.Takes;
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
