package io.asyncflow.flowsvr.operate.bulk;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.bulk.Bulk;
import io.asyncflow.api.bulk.BulkPage;
import io.asyncflow.api.bulk.BulkPreview;
import io.asyncflow.api.bulk.BulkState;
import io.asyncflow.api.bulk.NewBulk;
import io.asyncflow.flowsvr.base.duty.FeaturesInUse;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.edge.act.CurrentActor;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.InvalidFieldException;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.rules.field.PageFields;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** A caller sees its own bulks, and all of them if nothing lies outside of its scope. */
@RestController
@RequestMapping("/api/bulk")
class BulkController {

  private final BulkPreviews previews;
  private final BulkStore store;
  private final Acts acts;
  private final CurrentActor current;
  private final RetryingTransactions transactions;
  private final FeaturesInUse features;

  BulkController(
      BulkPreviews previews,
      BulkStore store,
      Acts acts,
      CurrentActor current,
      RetryingTransactions transactions,
      FeaturesInUse features) {
    this.previews = previews;
    this.store = store;
    this.acts = acts;
    this.current = current;
    this.transactions = transactions;
    this.features = features;
  }

  record Start(String token, Long count, String operator, String reason) {}

  record Started(String bulkId) {}

  record OfBulk(String bulkId) {}

  record ListBulks(Integer limit, String cursor) {}

  record ActOn(String bulkId, String operator, String reason) {}

  @Takes(summary = "Says what an act on all tasks of a search would do", shape = NewBulk.class)
  @Needs(Verb.BULK)
  @PostMapping("/preview")
  Envelope<BulkPreview> preview(Fields in, Caller caller) {
    return Envelope.ok(previews.preview(in, caller));
  }

  /** Does nothing to a preview that was started: the answer may have been lost. */
  @Takes(summary = "Starts what was previewed", shape = Start.class)
  @Needs(Verb.BULK)
  @PostMapping("/start")
  Envelope<Started> start(Fields in, Caller caller) {
    BulkToken token =
        in.text("token").required().as(BulkToken::parse, "is not a token of a preview");
    Long count = in.number("count").required().between(0, Integer.MAX_VALUE).asLong();
    Reason why = Reason.readRequired(in);
    in.refuseIfBad();
    transactions.run(
        () -> {
          BulkRow preview =
              store
                  .lock(token.id(), token.hash(), caller.principal())
                  .orElseThrow(BulkController::over);
          if (preview.state() != BulkState.PREVIEWED) {
            return;
          }
          caller.require(preview.verb());
          if (count != preview.expected()) {
            throw new InvalidFieldException(
                "count", "must be what the preview has found: " + preview.expected());
          }
          store.start(preview.id(), current.get(), why);
          acts.record(Act.of("START_BULK", objectOf(preview.id())).by(why).with(detail(preview)));
        });
    features.changed();
    return Envelope.ok(new Started(Long.toString(token.id())));
  }

  private static FlowException over() {
    return new FlowException(
        ErrorCode.PREVIEW_OVER,
        "this token starts nothing: its ten minutes are over, or it is not yours; preview again");
  }

  private static Map<String, Object> detail(BulkRow preview) {
    Map<String, Object> detail = new LinkedHashMap<>();
    detail.put("act", preview.act());
    detail.put("arguments", preview.arguments());
    detail.put("filter", preview.filter());
    detail.put("expected", preview.expected());
    detail.put("cap", preview.cap());
    return detail;
  }

  private static String objectOf(long id) {
    return "bulk:" + id;
  }

  @Takes(summary = "Shows how far a bulk has come", shape = OfBulk.class)
  @Needs(Verb.BULK)
  @GetOrPost("/get")
  Envelope<Bulk> get(Fields in, Caller caller) {
    long id = bulkId(in);
    in.refuseIfBad();
    return Envelope.ok(require(id, caller).shown());
  }

  private BulkRow require(long id, Caller caller) {
    return store
        .find(id)
        .filter(row -> row.state() != BulkState.PREVIEWED)
        .filter(row -> !caller.isScoped() || caller.principal().equals(row.actor().name()))
        .orElseThrow(
            () ->
                new FlowException(
                    ErrorCode.NO_SUCH_BULK,
                    "there is no bulk %s of yours: there never was, or it ended long ago"
                        .formatted(id)));
  }

  @Takes(summary = "Lists bulks, the newest first", shape = ListBulks.class, list = true)
  @Needs(Verb.BULK)
  @GetOrPost("/list")
  Envelope<BulkPage> list(Fields in, Caller caller) {
    int limit = PageFields.limit(in);
    long before = PageFields.before(in);
    in.refuseIfBad();
    List<BulkRow> rows = store.list(caller.isScoped() ? caller.principal() : null, before, limit);
    String next = rows.size() < limit ? null : Long.toString(rows.get(limit - 1).id());
    return Envelope.ok(new BulkPage(rows.stream().map(BulkRow::shown).toList(), next));
  }

  /** Takes effect before the next page of the bulk. */
  @Takes(summary = "Stops a bulk, which can go on later", shape = ActOn.class)
  @Needs(Verb.BULK)
  @PostMapping("/stop")
  Envelope<Void> stop(Fields in, Caller caller) {
    return change(BulkState.RUNNING, BulkState.STOPPED, "STOP_BULK", in, caller);
  }

  @Takes(summary = "Lets a stopped bulk go on", shape = ActOn.class)
  @Needs(Verb.BULK)
  @PostMapping("/resume")
  Envelope<Void> resume(Fields in, Caller caller) {
    return change(BulkState.STOPPED, BulkState.RUNNING, "RESUME_BULK", in, caller);
  }

  private Envelope<Void> change(
      BulkState from, BulkState to, String act, Fields in, Caller caller) {
    long id = bulkId(in);
    Reason why = Reason.read(in);
    in.refuseIfBad();
    transactions.run(
        () -> {
          BulkRow bulk = require(id, caller);
          caller.require(bulk.verb());
          if (store.change(id, from, to)) {
            acts.record(Act.of(act, objectOf(id)).by(why));
          } else if (require(id, caller).state() != to) {
            throw new FlowException(
                ErrorCode.TRANSITION_NOT_ALLOWED,
                "the bulk " + id + " has ended: it is " + require(id, caller).state());
          }
        });
    features.changed();
    return Envelope.done();
  }

  private static long bulkId(Fields in) {
    Long id = in.text("bulkId").required().as(PageFields::number, "is not the id of a bulk");
    return id == null ? 0 : id;
  }
}
