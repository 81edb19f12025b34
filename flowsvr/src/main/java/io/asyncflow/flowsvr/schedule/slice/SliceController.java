package io.asyncflow.flowsvr.schedule.slice;

import static org.springframework.web.bind.annotation.RequestMethod.GET;
import static org.springframework.web.bind.annotation.RequestMethod.POST;

import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Needs;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.schedule.slice.SliceActs.HandOver;
import io.asyncflow.flowsvr.schedule.slice.SliceActs.Promised;
import io.asyncflow.flowsvr.web.Envelope;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.flowsvr.web.read.Takes;
import java.util.List;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/schedule")
class SliceController {

  private static final int NODE = 64;

  private final SliceActs acts;

  SliceController(SliceActs acts) {
    this.acts = acts;
  }

  record LetHandOver(Integer slice, String node, String to, String operator, String reason) {}

  record HandedOver(List<Promised> sliceList) {}

  @Takes(summary = "Shows which server fires which slice of the schedules")
  @Needs(Verb.SCHEDULE_READ)
  @RequestMapping(
      path = "/slices",
      method = {GET, POST})
  Envelope<SlicesView> slices(Caller caller) {
    caller.requireAll();
    return Envelope.ok(acts.view());
  }

  /** A slice, or all slices of a node; where {@code to} is absent, the plan chooses. */
  @Takes(
      summary = "Moves a slice of the schedules, or all slices of a server, to another server",
      shape = LetHandOver.class)
  @Needs(Verb.SCHEDULE_STEER)
  @PostMapping({"/handOver", "/hand_over"})
  Envelope<HandedOver> handOver(Fields in, Caller caller) {
    Integer slice = in.number("slice").between(0, SliceLeases.SLICES - 1).asInteger();
    String node = in.text("node").name().max(NODE).value();
    String to = in.text("to").name().max(NODE).value();
    Reason why = Reason.read(in);
    if (in.has("slice") == in.has("node")) {
      in.refuse("slice", "is required, or node, and not both");
    }
    in.refuseIfBad();
    caller.requireAll();
    HandOver done =
        node == null ? acts.handOverSlice(slice, to, why) : acts.handOverAll(node, to, why);
    if (done.fault() != null) {
      in.refuse(done.fault(), done.rule());
      in.refuseIfBad();
    }
    return Envelope.ok(new HandedOver(done.promised()));
  }
}
