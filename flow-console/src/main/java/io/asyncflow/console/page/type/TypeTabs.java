package io.asyncflow.console.page.type;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.act.ActPage;
import io.asyncflow.api.stats.Meta;
import io.asyncflow.api.stats.Series;
import io.asyncflow.api.stats.StageList;
import io.asyncflow.console.chart.Chart;
import io.asyncflow.console.frame.Calls;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.page.Form;
import io.asyncflow.console.page.failure.Failures;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The parts of a type's page. */
final class TypeTabs {

  private static final int ACTS = 50;

  private final Calls calls;

  TypeTabs(Calls calls) {
    this.calls = calls;
  }

  /** Those that the operator may see, the first one being that of the page's own address. */
  static List<String> of(Frame frame) {
    List<String> numbers =
        frame.may("STATS_READ") ? List.of("now", "history", "failures") : List.of();
    List<String> acts = frame.may("AUDIT_READ") ? List.of("acts") : List.of();
    return Stream.of(numbers, List.of("tables", "settings"), acts).flatMap(List::stream).toList();
  }

  TypeTab read(Frame frame, TaskTypeSettings type, String tab, Form form) {
    return switch (tab) {
      case "settings" ->
          new TypeTab.Settings(Setting.of(type), frame.may("TYPE_TUNE"), frame.may("TYPE_SAVE"));
      case "tables" -> tables(type);
      case "acts" -> acts(type);
      default -> numbers(frame, type, tab, form);
    };
  }

  private TypeTab tables(TaskTypeSettings type) {
    return new TypeTab.Tables(
        calls.list(
            TypeTab.Table.class,
            "tables",
            "/api/task_schedule_cfg/tables",
            Map.of("taskType", type.taskType())));
  }

  private TypeTab acts(TaskTypeSettings type) {
    ActPage page =
        calls.get(
            ActPage.class, "/api/audit/list", "object", "type:" + type.taskType(), "limit", ACTS);
    return new TypeTab.Acts(page.actList(), page.nextCursor() != null);
  }

  private TypeTab numbers(Frame frame, TaskTypeSettings type, String tab, Form form) {
    try {
      return switch (tab) {
        case "history" -> history(type, Range.ofCode(form.text("range")), form.text("stage"));
        case "failures" -> new TypeTab.Failed(Failures.ofType(calls, frame, type.taskType()));
        default -> new TypeTab.Now(stages(type));
      };
    } catch (FlowException refused) {
      if (refused.errorCode() == ErrorCode.OUT_OF_SCOPE) {
        return new TypeTab.OutOfScope();
      }
      throw refused;
    }
  }

  private StageList stages(TaskTypeSettings type) {
    return calls.get(StageList.class, "/api/stats/stages", "taskType", type.taskType());
  }

  private TypeTab history(TaskTypeSettings type, Range asked, String stage) {
    // The time is the server's; within a step the question is the same, and the page.
    Meta meta = calls.get(Meta.class, "/api/meta");
    List<Range> ranges = Range.within(meta.limits().getOrDefault("historyMs", Long.MAX_VALUE));
    Range range = ranges.contains(asked) ? asked : ranges.get(0);
    long now = meta.now();
    long to = (now / range.stepMs() + 1) * range.stepMs();
    Series series =
        calls.get(
            Series.class,
            "/api/stats/series",
            "taskType",
            type.taskType(),
            "taskStage",
            stage,
            "from",
            to - range.lengthMs(),
            "to",
            to,
            "points",
            range.points());
    return new TypeTab.History(range, ranges, stage, series.whole(), charts(series));
  }

  private static List<Chart> charts(Series series) {
    long from = series.from();
    long step = series.stepMs();
    Map<String, List<Long>> counts = series.series();
    return List.of(
        Chart.lines(
            "flow",
            from,
            step,
            "finished",
            counts.get("finished"),
            "created",
            counts.get("created")),
        Chart.bars(
            "failed", from, step, "failed", counts.get("failed"), "retried", counts.get("retried")),
        band("wait", from, step, series.waitMs()),
        band("run", from, step, series.runMs()));
  }

  private static Chart band(String name, long from, long step, Map<String, List<Long>> of) {
    return Chart.band(name, from, step, of.get("p50"), of.get("p95"), of.get("p99"));
  }
}
