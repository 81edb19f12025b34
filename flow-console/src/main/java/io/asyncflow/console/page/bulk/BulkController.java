package io.asyncflow.console.page.bulk;

import io.asyncflow.api.Answer;
import io.asyncflow.api.Call;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.bulk.Bulk;
import io.asyncflow.api.bulk.BulkClient;
import io.asyncflow.api.bulk.BulkPage;
import io.asyncflow.api.bulk.BulkPreview;
import io.asyncflow.api.bulk.BulkState;
import io.asyncflow.console.frame.Visit;
import io.asyncflow.console.page.Act;
import io.asyncflow.console.page.ActTable;
import io.asyncflow.console.page.Bar;
import io.asyncflow.console.page.Listing;
import io.asyncflow.console.page.bulk.BulkViews.Asked;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** The list of bulks, the page of each, and the preview of a new one. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}/bulk")
public class BulkController {

  private static final Listing BULKS = new Listing("/bulk");
  private static final Call<BulkPage> LIST = Call.to("/api/bulk/list", BulkPage.class);
  private static final Call<BulkPreview> PREVIEW = Call.to("/api/bulk/preview", BulkPreview.class);
  private static final Call<String> START =
      Call.to("/api/bulk/start", Answer.of(Started.class, Started::bulkId));

  private static final ActTable ACTS =
      new ActTable("bulk").with("stop", "BULK").with("resume", "BULK");

  private record Started(String bulkId) {}

  @GetMapping
  public ResponseEntity<byte[]> list(Visit visit) {
    BulkPage page = visit.send(BULKS.page(visit, LIST));
    return visit.show(
        "bulks", new BulkViews.Listed(page.bulks(), BULKS.next(visit, page.nextCursor())));
  }

  /** The form that asks for a preview, as far as an address fills it in. */
  @GetMapping("/new")
  public ResponseEntity<byte[]> ask(Visit visit) {
    return visit.show("bulk-new", new BulkViews.Fresh(Asked.of(visit), null, null));
  }

  /** Shows what an act on all tasks of a search would do. It is kept, so this is no link. */
  @PostMapping("/new")
  public ResponseEntity<byte[]> preview(Visit visit) {
    Asked asked = Asked.of(visit);
    BulkViews.Fresh answer;
    try {
      BulkPreview preview =
          visit.send(
              PREVIEW
                  .with("act", visit.form().given("act"))
                  .with("filter", Map.of("q", asked.q()))
                  .with("arguments", arguments(visit, asked)));
      answer = new BulkViews.Fresh(asked, preview, null);
    } catch (FlowException e) {
      if (e.errorCode() != ErrorCode.INVALID_INPUT) {
        throw e;
      }
      answer = new BulkViews.Fresh(asked, null, e.getMessage());
    }
    return visit.openedBy(asked.address(visit)).show("bulk-new", answer, 200);
  }

  /** Only what the act takes: the form has the fields of all acts. */
  private static Map<String, Object> arguments(Visit visit, Asked asked) {
    Map<String, Object> arguments = new HashMap<>();
    switch (asked.act()) {
      case "SET_STATUS" -> arguments.put("status", visit.form().given("status"));
      case "RESCHEDULE" -> {
        arguments.put("runAt", visit.form().time(visit.frame(), "run_at"));
        arguments.put("priority", visit.form().given("priority"));
      }
      default -> {} // takes none
    }
    arguments.values().removeIf(Objects::isNull);
    return arguments;
  }

  @PostMapping("/start")
  public ResponseEntity<byte[]> start(Visit visit) {
    String id =
        visit.send(
            START
                .with("token", visit.form().given("token"))
                .with("count", visit.form().given("count"))
                .with("reason", visit.form().given("reason")));
    return visit.done("bulk_start", path(id));
  }

  @GetMapping("/{id}")
  public ResponseEntity<byte[]> show(Visit visit, @PathVariable String id) {
    Bulk bulk = new BulkClient(visit.api()).get(id);
    return visit.show("bulk", new BulkViews.Shown(bulk, Bar.of(bulk), acts(visit, bulk)));
  }

  private static List<Act> acts(Visit visit, Bulk bulk) {
    boolean hasEnded = bulk.state() == BulkState.DONE || bulk.state() == BulkState.FAILED;
    return List.of(
        act(visit, "stop", bulk)
            .unless(hasEnded, "why_not.ended")
            .unless(bulk.state() == BulkState.STOPPED, "why_not.bulk_stopped"),
        act(visit, "resume", bulk)
            .unless(hasEnded, "why_not.ended")
            .unless(bulk.state() == BulkState.RUNNING, "why_not.runs"));
  }

  private static Act act(Visit visit, String act, Bulk bulk) {
    return ACTS.act(visit, act, path(bulk.bulkId()) + "/" + act);
  }

  private static String path(String id) {
    return "/bulk/" + id;
  }

  @PostMapping("/{id}/{act}")
  public ResponseEntity<byte[]> perform(
      Visit visit, @PathVariable String id, @PathVariable String act) {
    return visit.done(ACTS.perform(visit, act, id), path(id));
  }
}
