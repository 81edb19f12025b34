package io.asyncflow.flowsvr.edge.audit;

import io.asyncflow.api.act.ActFilter;
import io.asyncflow.api.act.ActPage;
import io.asyncflow.api.act.ListedAct;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.MissingVerbException;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.act.ActStore;
import io.asyncflow.flowsvr.edge.act.ActStore.Place;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.rules.field.PageFields;
import io.asyncflow.rules.field.TextField;
import java.util.List;
import java.util.Optional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/audit")
class AuditController {

  private static final int ACTOR = 160;
  private static final int OBJECT = 192;
  private static final int ACT = 32;
  private static final int CURSOR = 40;

  private final ActStore acts;

  AuditController(ActStore acts) {
    this.acts = acts;
  }

  record ListActs(
      String actor, String object, String act, Long from, Long to, Integer limit, String cursor) {}

  @Takes(summary = "Lists acts, newest first", shape = ListActs.class, list = true)
  @Needs(Verb.AUDIT_READ)
  @PostMapping("/list")
  Envelope<ActPage> list(Fields in, Caller caller) {
    ActFilter filter =
        new ActFilter(
            like(
                in.text("actor").name().max(ACTOR),
                "[a-z]+(:.+)?",
                "must be like local or key:3Qm81LtzGh"),
            like(in.text("object").name().max(OBJECT), "[a-z]+:.+", "must be like type:lark"),
            like(
                in.text("act").max(ACT),
                "[A-Z][A-Z_]*",
                "must be the name of an act, such as CANCEL"),
            in.number("from").epochMs().asLong(),
            in.number("to").epochMs().asLong());
    int limit = PageFields.limit(in);
    Place after =
        in.text("cursor").max(CURSOR).as(AuditController::place, "is not a cursor of this list");
    in.refuseIfBad();
    refuseIfScoped(caller);
    List<ListedAct> page = acts.list(filter, after == null ? Place.NEWEST : after, limit);
    ListedAct last = page.size() < limit ? null : page.get(limit - 1);
    return Envelope.ok(new ActPage(page, last == null ? null : last.time() + "-" + last.id()));
  }

  /** An act names objects of any scope, in its reason and its detail, too. */
  private static void refuseIfScoped(Caller caller) {
    if (caller.isScoped()) {
      throw new MissingVerbException(Verb.AUDIT_READ);
    }
  }

  /** Refuses what no record has, rather than to find nothing. */
  private static String like(TextField field, String pattern, String message) {
    return field.as(text -> Optional.of(text).filter(it -> it.matches(pattern)), message);
  }

  private static Optional<Place> place(String text) {
    return text.matches("[0-9]{1,18}-[0-9]{1,18}")
        ? Optional.of(
            new Place(
                Long.parseLong(text.substring(0, text.indexOf('-'))),
                Long.parseLong(text.substring(text.indexOf('-') + 1))))
        : Optional.empty();
  }
}
