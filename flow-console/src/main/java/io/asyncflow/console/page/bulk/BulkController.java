package io.asyncflow.console.page.bulk;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.bulk.Bulk;
import io.asyncflow.api.bulk.BulkPage;
import io.asyncflow.api.bulk.BulkPreview;
import io.asyncflow.api.bulk.BulkState;
import io.asyncflow.console.frame.Calls;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Pages;
import io.asyncflow.console.page.Act;
import io.asyncflow.console.page.Form;
import io.asyncflow.console.page.bulk.BulkViews.Asked;
import java.util.List;
import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** The list of bulks, the page of each, and the preview of a new one. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}/bulk")
public class BulkController {

  private static final int PAGE = 100;

  private final Pages pages;
  private final Calls calls;

  public BulkController(Pages pages, Calls calls) {
    this.pages = pages;
    this.calls = calls;
  }

  @GetMapping
  public ResponseEntity<byte[]> list(Frame frame, @RequestParam Map<String, String> fields) {
    BulkPage page =
        calls.get(
            BulkPage.class,
            "/api/bulk/list",
            "cursor",
            new Form(fields).text("cursor"),
            "limit",
            PAGE);
    String older =
        page.nextCursor() == null ? null : frame.to("/bulk", "cursor", page.nextCursor());
    return pages.show(frame, "bulks", new BulkViews.Listed(page.bulks(), older));
  }

  /** The form that asks for a preview, as far as an address fills it in. */
  @GetMapping("/new")
  public ResponseEntity<byte[]> ask(Frame frame, @RequestParam Map<String, String> fields) {
    return pages.show(frame, "bulk-new", new BulkViews.Fresh(asked(fields), null, null));
  }

  private static Asked asked(Map<String, String> fields) {
    Form form = new Form(fields);
    return new Asked(
        form.text("q"),
        form.text("act"),
        form.text("status"),
        form.text("run_at"),
        form.text("priority"));
  }

  /** Shows what an act on all tasks of a search would do. It is kept, so this is no link. */
  @PostMapping("/new")
  public ResponseEntity<byte[]> preview(Frame frame, @RequestParam Map<String, String> fields) {
    Form form = new Form(fields);
    Asked asked = asked(fields);
    Frame opened = frame.openedBy(address(frame, asked));
    try {
      BulkPreview preview =
          calls.get(
              BulkPreview.class,
              "/api/bulk/preview",
              "act",
              asked.act(),
              "filter",
              Map.of("q", asked.q()),
              "arguments",
              arguments(frame, form, asked));
      return pages.showAnswer(opened, "bulk-new", new BulkViews.Fresh(asked, preview, null));
    } catch (FlowException e) {
      if (e.errorCode() != ErrorCode.INVALID_INPUT) {
        throw e;
      }
      return pages.showAnswer(opened, "bulk-new", new BulkViews.Fresh(asked, null, e.getMessage()));
    }
  }

  /** Where the form is filled in as it was sent. */
  private static String address(Frame frame, Asked asked) {
    return frame.to(
        "/bulk/new",
        "q",
        asked.q(),
        "act",
        asked.act(),
        "status",
        asked.status(),
        "run_at",
        asked.runAt(),
        "priority",
        asked.priority());
  }

  /** Only what the act takes: the form has the fields of all acts. */
  private static Map<String, Object> arguments(Frame frame, Form form, Asked asked) {
    return switch (asked.act()) {
      case "SET_STATUS" -> Calls.fields("status", asked.status());
      case "RESCHEDULE" ->
          Calls.fields("runAt", form.time(frame, "run_at"), "priority", asked.priority());
      default -> Map.of();
    };
  }

  @PostMapping("/start")
  public ResponseEntity<byte[]> start(Frame frame, @RequestParam Map<String, String> fields) {
    Form form = new Form(fields);
    String id =
        calls
            .call(
                "/api/bulk/start",
                "token",
                form.text("token"),
                "count",
                form.text("count"),
                "reason",
                form.text("reason"))
            .path("bulkId")
            .asString("");
    return Pages.done(frame, "bulk_start", frame.to(path(id)));
  }

  @GetMapping("/{id}")
  public ResponseEntity<byte[]> show(Frame frame, @PathVariable String id) {
    Bulk bulk = calls.get(Bulk.class, "/api/bulk/get", "bulkId", id);
    return pages.show(
        frame, "bulk", new BulkViews.Shown(bulk, BulkBar.of(bulk), acts(frame, bulk)));
  }

  private static List<Act> acts(Frame frame, Bulk bulk) {
    boolean hasEnded = bulk.state() == BulkState.DONE || bulk.state() == BulkState.FAILED;
    return List.of(
        act(frame, "stop", bulk)
            .unless(hasEnded, "why_not.ended")
            .unless(bulk.state() == BulkState.STOPPED, "why_not.bulk_stopped"),
        act(frame, "resume", bulk)
            .unless(hasEnded, "why_not.ended")
            .unless(bulk.state() == BulkState.RUNNING, "why_not.runs"));
  }

  private static Act act(Frame frame, String act, Bulk bulk) {
    return Act.of(frame, "BULK", "bulk_" + act, frame.to(path(bulk.bulkId()) + "/" + act));
  }

  private static String path(String id) {
    return "/bulk/" + id;
  }

  @PostMapping("/{id}/{act}")
  public ResponseEntity<byte[]> act(
      Frame frame,
      @PathVariable String id,
      @PathVariable String act,
      @RequestParam Map<String, String> fields) {
    switch (act) {
      case "stop", "resume" ->
          calls.call("/api/bulk/" + act, "bulkId", id, "reason", new Form(fields).text("reason"));
      default -> throw Form.noPage();
    }
    return Pages.done(frame, "bulk_" + act, frame.to(path(id)));
  }
}
