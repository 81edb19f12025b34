package io.asyncflow.flowsvr.bulk;

import static org.springframework.web.bind.annotation.RequestMethod.GET;
import static org.springframework.web.bind.annotation.RequestMethod.POST;

import io.asyncflow.api.bulk.Bulk;
import io.asyncflow.api.bulk.BulkPage;
import io.asyncflow.api.bulk.BulkPreview;
import io.asyncflow.api.bulk.NewBulk;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Needs;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.web.Envelope;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.flowsvr.web.read.Takes;
import java.util.Optional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/bulk")
class BulkController {

  private static final int MAX_PAGE = 1_000;
  private static final int DEFAULT_PAGE = 100;

  private final BulkPreviews previews;
  private final Bulks bulks;

  BulkController(BulkPreviews previews, Bulks bulks) {
    this.previews = previews;
    this.bulks = bulks;
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

  @Takes(summary = "Starts what was previewed", shape = Start.class)
  @Needs(Verb.BULK)
  @PostMapping("/start")
  Envelope<Started> start(Fields in, Caller caller) {
    BulkToken token =
        in.text("token").required().as(BulkToken::parse, "is not a token of a preview");
    Long count = in.number("count").required().between(0, Integer.MAX_VALUE).asLong();
    Reason why = Reason.readRequired(in);
    in.refuseIfBad();
    return Envelope.ok(new Started(Long.toString(bulks.start(token, count, why, caller))));
  }

  @Takes(summary = "Shows how far a bulk has come", shape = OfBulk.class)
  @Needs(Verb.BULK)
  @RequestMapping(
      path = "/get",
      method = {GET, POST})
  Envelope<Bulk> get(Fields in, Caller caller) {
    long id = bulkId(in);
    in.refuseIfBad();
    return Envelope.ok(bulks.get(id, caller));
  }

  @Takes(summary = "Lists bulks, the newest first", shape = ListBulks.class, list = true)
  @Needs(Verb.BULK)
  @RequestMapping(
      path = "/list",
      method = {GET, POST})
  Envelope<BulkPage> list(Fields in, Caller caller) {
    int limit = in.number("limit").between(1, MAX_PAGE).or(DEFAULT_PAGE);
    Long before = in.text("cursor").as(BulkController::id, "is not a cursor of this list");
    in.refuseIfBad();
    return Envelope.ok(bulks.list(before == null ? Long.MAX_VALUE : before, limit, caller));
  }

  @Takes(summary = "Stops a bulk, which can go on later", shape = ActOn.class)
  @Needs(Verb.BULK)
  @PostMapping("/stop")
  Envelope<Void> stop(Fields in, Caller caller) {
    long id = bulkId(in);
    Reason why = Reason.read(in);
    in.refuseIfBad();
    bulks.stop(id, why, caller);
    return Envelope.done();
  }

  @Takes(summary = "Lets a stopped bulk go on", shape = ActOn.class)
  @Needs(Verb.BULK)
  @PostMapping("/resume")
  Envelope<Void> resume(Fields in, Caller caller) {
    long id = bulkId(in);
    Reason why = Reason.read(in);
    in.refuseIfBad();
    bulks.resume(id, why, caller);
    return Envelope.done();
  }

  private static long bulkId(Fields in) {
    Long id = in.text("bulkId").required().as(BulkController::id, "is not the id of a bulk");
    return id == null ? 0 : id;
  }

  private static Optional<Long> id(String text) {
    return text.matches("[1-9][0-9]{0,17}") ? Optional.of(Long.valueOf(text)) : Optional.empty();
  }
}
