package io.asyncflow.console.page.worker;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.find.RunningPage;
import io.asyncflow.console.frame.Calls;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Pages;
import io.asyncflow.console.page.Act;
import io.asyncflow.console.page.Form;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/**
 * The list of workers, and the page of each. An id may have any characters, so it stands in the
 * query and not in the path.
 */
@Controller
@RequestMapping("${asyncflow.console.path:/console}")
public class WorkerController {

  private static final int PAGE = 100;

  private final Pages pages;
  private final Calls calls;

  public WorkerController(Pages pages, Calls calls) {
    this.pages = pages;
    this.calls = calls;
  }

  @GetMapping("/workers")
  public ResponseEntity<byte[]> list(Frame frame, @RequestParam Map<String, String> fields) {
    Form form = new Form(fields);
    Fleet fleet = Fleet.read(calls);
    String state = form.text("state");
    String stage = form.text("stage");
    String after = form.text("after");
    List<Worker> rest =
        fleet.workers().stream()
            .filter(worker -> state.isEmpty() || worker.state().equals(state))
            .filter(worker -> stage.isEmpty() || worker.servesLike(stage))
            .filter(worker -> worker.workerId().compareTo(after) > 0)
            .sorted(Comparator.comparing(Worker::workerId))
            .toList();
    List<Worker> shown = rest.subList(0, Math.min(PAGE, rest.size()));
    String next =
        shown.size() == rest.size()
            ? null
            : frame.to(
                "/workers",
                "state",
                state,
                "stage",
                stage,
                "after",
                shown.get(PAGE - 1).workerId());
    return pages.show(
        frame, "workers", new WorkerViews.Listed(shown, fleet.counts(), state, stage, next));
  }

  @GetMapping("/worker")
  public ResponseEntity<byte[]> show(Frame frame, @RequestParam String id) {
    Worker worker =
        calls.get(
            Worker.class,
            "workerData",
            "/api/worker/get",
            Map.of("workerId", id, "maxAgeMs", Fleet.AGE_MS));
    boolean isDraining = worker.state().equals("draining");
    boolean isLost = worker.state().equals("lost");
    boolean hasStopped = worker.state().equals("stopped");
    boolean isPaused = worker.state().equals("paused");
    return pages.show(
        frame,
        "worker",
        new WorkerViews.Shown(
            worker,
            List.of(
                act(frame, "WORKER_DRAIN", "drain", id)
                    .unless(isDraining, "why_not.draining")
                    .unless(isLost, "why_not.lost")
                    .unless(hasStopped, "why_not.stopped")
                    .grave(),
                act(frame, "WORKER_DRAIN", "undo_drain", id)
                    .unless(!isDraining, "why_not.not_draining"),
                act(frame, "WORKER_PAUSE", "pause", id).unless(isPaused, "why_not.paused"),
                act(frame, "WORKER_PAUSE", "resume", id).unless(!isPaused, "why_not.not_paused")),
            running(frame, id)));
  }

  private RunningPage running(Frame frame, String id) {
    if (!frame.may("TASK_READ")) {
      return null;
    }
    try {
      return calls.get(RunningPage.class, "/api/task/running", "workerId", id);
    } catch (FlowException refused) {
      if (refused.errorCode() == ErrorCode.INTERNAL) {
        throw refused;
      }
      return null; // the page has the rest
    }
  }

  private static Act act(Frame frame, String verb, String act, String id) {
    return Act.of(frame, verb, "worker_" + act, frame.to("/worker/" + act, "id", id));
  }

  @PostMapping("/worker/{act}")
  public ResponseEntity<byte[]> act(
      Frame frame,
      @PathVariable String act,
      @RequestParam String id,
      @RequestParam Map<String, String> fields) {
    String reason = new Form(fields).text("reason");
    switch (act) {
      case "drain" -> calls.call("/api/worker/drain", "workerId", id, "reason", reason);
      case "undo_drain" ->
          calls.call("/api/worker/drain", "workerId", id, "undo", 1, "reason", reason);
      case "pause" -> calls.call("/api/pause/set", "kind", "WORKER", "name", id, "reason", reason);
      case "resume" ->
          calls.call("/api/pause/clear", "kind", "WORKER", "name", id, "reason", reason);
      default -> throw Form.noPage();
    }
    return Pages.done(frame, "worker_" + act, frame.to("/worker", "id", id));
  }
}
