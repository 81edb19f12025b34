package io.asyncflow.flowsvr.operator.pause;

import static org.springframework.web.bind.annotation.RequestMethod.GET;
import static org.springframework.web.bind.annotation.RequestMethod.POST;

import io.asyncflow.api.pause.Pause;
import io.asyncflow.api.pause.PauseKind;
import io.asyncflow.api.pause.PausePage;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Needs;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.pause.PauseStore;
import io.asyncflow.flowsvr.pause.PausedName;
import io.asyncflow.flowsvr.web.Envelope;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.flowsvr.web.read.Takes;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/pause")
class PauseController {

  private static final int NAME = 160;
  private static final int OPERATOR = 128;
  private static final int REASON = 1_000;
  private static final int MAX_PAGE = 1_000;
  private static final int DEFAULT_PAGE = 100;
  private static final String ALL_STAGES = "*";
  private static final String KINDS = "must be TYPE, STAGE or WORKER";

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
    PausedName name = name(in);
    Long until = in.number("until").epochMs().asLong();
    if (until != null && until <= pauses.now()) {
      in.refuse("until", "must lie in the future");
    }
    String operator = in.text("operator").max(OPERATOR).or("");
    String reason = in.text("reason").max(REASON).or("");
    in.refuseIfBad();
    requireFor(name, caller);
    acts.set(name, until, operator, reason);
    return Envelope.done();
  }

  @Takes(summary = "Ends the pause of a type, a stage or a worker", shape = ClearPause.class)
  @Needs({Verb.PAUSE, Verb.WORKER_PAUSE})
  @PostMapping("/clear")
  Envelope<Void> clear(Fields in, Caller caller) {
    PausedName name = name(in);
    String operator = in.text("operator").max(OPERATOR).or("");
    String reason = in.text("reason").max(REASON).or("");
    in.refuseIfBad();
    requireFor(name, caller);
    acts.clear(name, operator, reason);
    return Envelope.done();
  }

  @Takes(summary = "Lists what is paused", shape = ListPauses.class, list = true)
  @Needs({Verb.GOVERN_READ, Verb.PAUSE, Verb.WORKER_PAUSE})
  @RequestMapping(
      path = "/list",
      method = {GET, POST})
  Envelope<PausePage> list(Fields in, Caller caller) {
    PauseKind kind = in.text("kind").as(PauseController::kind, KINDS);
    int limit = in.number("limit").between(1, MAX_PAGE).or(DEFAULT_PAGE);
    PausedName after =
        in.text("cursor")
            .as(PauseController::position, "must be a nextCursor of an earlier answer");
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

  private static PausedName name(Fields in) {
    PauseKind kind = in.text("kind").required().as(PauseController::kind, KINDS);
    String text = in.text("name").required().name().max(NAME).value();
    if (kind == null || text == null) {
      return null;
    }
    Optional<PausedName> name = PausedName.parse(kind, text);
    if (name.isEmpty()) {
      in.refuse(
          "name",
          switch (kind) {
            case TYPE -> "is not a valid task type";
            case STAGE -> "must be type/stage, such as lark/sendmsg";
            case WORKER -> "must be at most 64 characters long";
          });
    }
    return name.orElse(null);
  }

  private static Optional<PauseKind> kind(String text) {
    String name = text.toUpperCase(Locale.ROOT);
    return Arrays.stream(PauseKind.values()).filter(kind -> kind.name().equals(name)).findFirst();
  }

  private static Optional<PausedName> position(String cursor) {
    int colon = cursor.indexOf(':');
    return colon < 0
        ? Optional.empty()
        : kind(cursor.substring(0, colon))
            .flatMap(kind -> PausedName.parse(kind, cursor.substring(colon + 1)));
  }
}
