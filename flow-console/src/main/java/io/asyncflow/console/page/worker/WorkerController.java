package io.asyncflow.console.page.worker;

import io.asyncflow.api.Answer;
import io.asyncflow.api.Call;
import io.asyncflow.api.find.FindClient;
import io.asyncflow.api.find.RunningPage;
import io.asyncflow.console.frame.Visit;
import io.asyncflow.console.page.Act;
import io.asyncflow.console.page.ActTable;
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
  private static final String ID = "workerId";

  private static final Call<Worker> GET =
      Call.to("/api/worker/get", Answer.of(Found.class, Found::workerData))
          .with("maxAgeMs", Fleet.AGE_MS);

  private static final ActTable ACTS =
      new ActTable("worker")
          .with("drain", "WORKER_DRAIN")
          .with("undo_drain", Call.to("/api/worker/drain").with("undo", 1), ID, "WORKER_DRAIN")
          .withPause("WORKER_PAUSE");

  private record Found(Worker workerData) {}

  @GetMapping("/workers")
  public ResponseEntity<byte[]> list(Visit visit) {
    Fleet fleet = Fleet.read(visit);
    String state = visit.text("state");
    String stage = visit.text("stage");
    String after = visit.text("after");
    List<Worker> rest =
        fleet.workers().stream()
            .filter(worker -> state.isEmpty() || worker.state().equals(state))
            .filter(worker -> stage.isEmpty() || worker.servesLike(stage))
            .filter(worker -> worker.workerId().compareTo(after) > 0)
            .sorted(Comparator.comparing(Worker::workerId))
            .toList();
    List<Worker> shown = rest.subList(0, Math.min(PAGE, rest.size()));
    String last = shown.size() == rest.size() ? null : shown.get(PAGE - 1).workerId();
    String next =
        last == null ? null : visit.to("/workers", "state", state, "stage", stage, "after", last);
    return visit.show("workers", new Listed(shown, fleet.counts(), state, stage, next));
  }

  @GetMapping("/worker")
  public ResponseEntity<byte[]> show(Visit visit, @RequestParam String id) {
    Worker worker = visit.send(GET.with(ID, id));
    String state = worker.state();
    boolean isPaused = state.equals("paused");
    List<Act> acts =
        List.of(
            act(visit, "drain", id)
                .unless(state.equals("draining"), "why_not.draining")
                .unless(state.equals("lost"), "why_not.lost")
                .unless(state.equals("stopped"), "why_not.stopped")
                .grave(),
            act(visit, "undo_drain", id).unless(!state.equals("draining"), "why_not.not_draining"),
            act(visit, "pause", id).unless(isPaused, "why_not.paused"),
            act(visit, "resume", id).unless(!isPaused, "why_not.not_paused"));
    RunningPage running =
        visit.may("TASK_READ")
            ? Visit.orElse(() -> new FindClient(visit.api()).running(null, id, null), null)
            : null;
    return visit.show("worker", new Shown(worker, acts, running));
  }

  private static Act act(Visit visit, String act, String id) {
    return ACTS.act(visit, act, "/worker/" + act, "id", id);
  }

  @PostMapping("/worker/{act}")
  public ResponseEntity<byte[]> perform(
      Visit visit, @PathVariable String act, @RequestParam String id) {
    return visit.done(ACTS.perform(visit, act, id), "/worker", "id", id);
  }

  /**
   * @param counts of all workers, by state
   * @param state the one that is asked for; empty for all
   * @param stage a part of the name of a stage; empty for all
   * @param next the address of the page after this one; {@code null} on the last one
   */
  public record Listed(
      List<Worker> workers, Map<String, Integer> counts, String state, String stage, String next) {}

  /**
   * @param running what it executes; {@code null} if that cannot be told now, or not to this
   *     operator
   */
  public record Shown(Worker worker, List<Act> acts, RunningPage running) {}
}
