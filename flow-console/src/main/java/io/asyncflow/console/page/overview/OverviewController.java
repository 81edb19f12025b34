package io.asyncflow.console.page.overview;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.stats.Overview;
import io.asyncflow.api.stats.Overview.TypeNumbers;
import io.asyncflow.console.chart.Spark;
import io.asyncflow.console.frame.Calls;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Pages;
import io.asyncflow.console.page.Act;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

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

  private final Pages pages;
  private final Snapshots snapshots;

  public OverviewController(Pages pages, Calls calls, InstantSource clock) {
    this.pages = pages;
    this.snapshots = new Snapshots(calls, clock);
  }

  /** The types, for operators who may not see the numbers of all users. */
  @GetMapping({"", "/"})
  public ResponseEntity<byte[]> show(
      Frame frame,
      @RequestParam Map<String, String> fields,
      @RequestHeader(name = HttpHeaders.IF_NONE_MATCH, required = false) String shown) {
    if (!frame.may("STATS_READ")) {
      return Pages.goTo(frame.to("/types"));
    }
    try {
      Snapshots.Seen seen = snapshots.look(frame);
      OverviewView view = view(frame, seen, fields.containsKey("wall"));
      return pages.follow(frame, "overview", view, shown);
    } catch (FlowException refused) {
      if (refused.errorCode() == ErrorCode.OUT_OF_SCOPE) {
        return Pages.goTo(frame.to("/types"));
      }
      throw refused;
    }
  }

  private static OverviewView view(Frame frame, Snapshots.Seen seen, boolean isWall) {
    Overview numbers = seen.snapshot().numbers();
    Set<String> late =
        numbers.problems().stream()
            .filter(problem -> LATE.contains(problem.code()))
            .map(Overview.Problem::taskType)
            .collect(Collectors.toSet());
    List<OverviewView.Row> rows =
        numbers.types().stream().map(type -> row(frame, type, numbers.at(), late)).toList();
    List<Problem> problems = Problems.of(frame, seen.snapshot());
    int shown = Math.min(problems.size(), isWall ? MOST_ON_A_WALL : MOST_PROBLEMS);
    return new OverviewView(
        seen.isStale() ? numbers.at() : null,
        isWall,
        problems.subList(0, shown),
        problems.size() - shown,
        OverviewView.Totals.of(rows, seen.snapshot().workers()),
        rows);
  }

  private static OverviewView.Row row(Frame frame, TypeNumbers type, long at, Set<String> late) {
    String act = type.paused() ? "resume" : "pause";
    return new OverviewView.Row(
        type,
        type.oldestDueMs() == null ? null : (at - type.oldestDueMs()) / SECOND * SECOND,
        new Spark(type.spark()),
        late.contains(type.taskType()),
        Act.of(
            frame,
            "PAUSE",
            "type_" + act,
            frame.to("/types/" + type.taskType().toLowerCase(Locale.ROOT) + "/" + act)));
  }
}
