package io.asyncflow.flowsvr.operate.operator.pause;

import io.asyncflow.api.pause.Pause;
import io.asyncflow.api.pause.PauseKind;
import io.asyncflow.api.pause.PausePage;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.flowsvr.task.pause.PauseStore;
import io.asyncflow.rules.PausedName;
import io.asyncflow.rules.field.PageFields;
import io.asyncflow.rules.field.PauseFields;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/pause")
class PauseController {

  private static final String ALL_STAGES = "*";

  private final PauseActs acts;
  private final PauseStore pauses;

  PauseController(PauseActs acts, PauseStore pauses) {
    this.acts = acts;
    this.pauses = pauses;
  }

  record SetPause(String kind, String name, Long until, String operator, String reason) {}

  record ClearPause(String kind, String name, String operator, String reason) {}

  record ListPauses(String kind, Integer limit, String cursor) {}

  @Takes(summary = "Pauses a type, a stage or a worker", shape = SetPause.class)
  @Needs({Verb.PAUSE, Verb.WORKER_PAUSE})
  @PostMapping("/set")
  Envelope<Void> set(Fields in, Caller caller) {
    PausedName name = PauseFields.name(in);
    Long until = PauseFields.until(in, pauses.now());
    Reason why = Reason.read(in);
    in.refuseIfBad();
    requireFor(name, caller);
    acts.set(name, until, why);
    return Envelope.done();
  }

  @Takes(summary = "Ends the pause of a type, a stage or a worker", shape = ClearPause.class)
  @Needs({Verb.PAUSE, Verb.WORKER_PAUSE})
  @PostMapping("/clear")
  Envelope<Void> clear(Fields in, Caller caller) {
    PausedName name = PauseFields.name(in);
    Reason why = Reason.read(in);
    in.refuseIfBad();
    requireFor(name, caller);
    acts.clear(name, why);
    return Envelope.done();
  }

  @Takes(summary = "Lists what is paused", shape = ListPauses.class, list = true)
  @Needs({Verb.GOVERN_READ, Verb.PAUSE, Verb.WORKER_PAUSE})
  @GetOrPost("/list")
  Envelope<PausePage> list(Fields in, Caller caller) {
    PauseKind kind = PauseFields.listed(in);
    int limit = PageFields.limit(in);
    PausedName after = PauseFields.after(in);
    in.refuseIfBad();
    Set<PauseKind> kinds = kind == null ? EnumSet.allOf(PauseKind.class) : EnumSet.of(kind);
    List<Pause> page = pauses.list(kinds, after, limit, caller);
    Pause last = page.size() < limit ? null : page.get(limit - 1);
    return Envelope.ok(new PausePage(page, last == null ? null : last.kind() + ":" + last.name()));
  }

  /** For a worker, either verb will do; a type and its stages are paused for all users. */
  private static void requireFor(PausedName name, Caller caller) {
    if (name.kind() == PauseKind.WORKER) {
      caller.requireSeenWorker(name.text());
    } else {
      caller.require(Verb.PAUSE);
      caller.requireType(name.type().name());
      caller.requireAllUsers();
      caller.requireStage(name.kind() == PauseKind.STAGE ? name.stage() : ALL_STAGES);
    }
  }
}
