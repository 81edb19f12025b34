package io.asyncflow.console.page.overview;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.stats.Overview;
import io.asyncflow.api.stats.Overview.TypeNumbers;
import io.asyncflow.console.chart.Spark;
import io.asyncflow.console.frame.Visit;
import io.asyncflow.console.page.type.TypeController;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** The first page. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}")
public class OverviewController {

  private static final int MOST_PROBLEMS = 12;

  /** Nobody scrolls a wall. */
  private static final int MOST_ON_A_WALL = 5;

  /** So that a clock that is read a little later makes no other page. */
  private static final long SECOND = 1_000;

  private static final Set<String> LATE = Set.of("LATE", "NO_WORKER");

  private final Snapshots snapshots;

  public OverviewController(InstantSource clock) {
    this.snapshots = new Snapshots(clock);
  }

  /** The types, for operators who may not see the numbers of all users. */
  @GetMapping({"", "/"})
  public ResponseEntity<byte[]> show(Visit visit) {
    if (!visit.may("STATS_READ")) {
      return visit.goTo("/types");
    }
    try {
      return visit.show("overview", view(visit, snapshots.look(visit)));
    } catch (FlowException refused) {
      if (refused.errorCode() == ErrorCode.OUT_OF_SCOPE) {
        return visit.goTo("/types");
      }
      throw refused;
    }
  }

  private static OverviewView view(Visit visit, Snapshots.Snapshot seen) {
    Overview numbers = seen.numbers();
    Set<String> late =
        numbers.problems().stream()
            .filter(problem -> LATE.contains(problem.code()))
            .map(Overview.Problem::taskType)
            .collect(Collectors.toSet());
    List<OverviewView.Row> rows =
        numbers.types().stream().map(type -> row(visit, type, numbers.at(), late)).toList();
    boolean isWall = visit.form().has("wall");
    List<Problem> problems = Problems.of(visit.frame(), seen);
    int shown = Math.min(problems.size(), isWall ? MOST_ON_A_WALL : MOST_PROBLEMS);
    return new OverviewView(
        seen.isStale() ? numbers.at() : null,
        isWall,
        problems.subList(0, shown),
        problems.size() - shown,
        OverviewView.Totals.of(rows, seen.workers()),
        rows);
  }

  private static OverviewView.Row row(Visit visit, TypeNumbers type, long at, Set<String> late) {
    return new OverviewView.Row(
        type,
        type.oldestDueMs() == null ? null : (at - type.oldestDueMs()) / SECOND * SECOND,
        new Spark(type.spark()),
        late.contains(type.taskType()),
        TypeController.act(
            visit, type.paused() ? "resume" : "pause", type.taskType().toLowerCase(Locale.ROOT)));
  }
}
