package io.asyncflow.console.page.type;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.act.ActClient;
import io.asyncflow.api.act.ActFilter;
import io.asyncflow.api.act.ActPage;
import io.asyncflow.api.act.ListedAct;
import io.asyncflow.api.stats.Meta;
import io.asyncflow.api.stats.Series;
import io.asyncflow.api.stats.SeriesRequest;
import io.asyncflow.api.stats.StageList;
import io.asyncflow.api.stats.StatsClient;
import io.asyncflow.api.table.TableClient;
import io.asyncflow.api.table.TaskTable;
import io.asyncflow.console.chart.Chart;
import io.asyncflow.console.frame.Visit;
import io.asyncflow.console.page.failure.Failures;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A part of a type's page: what its template shows. */
public sealed interface TypeTab {

  /** How its stages stand. */
  record Now(StageList stages) implements TypeTab {

    private static final long SECOND = 1_000;

    /** Since when the first due task of a stage has been due; {@code null} if none is. */
    public Long oldestDue(StageList.StageNumbers stage) {
      return stage.oldestDueMs() == null
          ? null
          : (stages.at() - stage.oldestDueMs()) / SECOND * SECOND;
    }
  }

  /**
   * What happened.
   *
   * @param range the one that is shown
   * @param ranges those that there are
   * @param stage the one that is shown; empty for all together
   * @param isWhole whether all was added up; otherwise counts are lower bounds
   */
  record History(Range range, List<Range> ranges, String stage, boolean isWhole, List<Chart> charts)
      implements TypeTab {}

  record Failed(Failures failures) implements TypeTab {}

  record Tables(List<TaskTable> tables) implements TypeTab {}

  /**
   * How it is set.
   *
   * @param mayTune whether the operator may change some of it
   * @param maySave whether the operator may change all of it
   */
  record Settings(List<Setting> settings, boolean mayTune, boolean maySave) implements TypeTab {

    public boolean mayChange(Setting setting) {
      return maySave || mayTune && setting.of().isTuned();
    }
  }

  /**
   * What was done to it by hand.
   *
   * @param hasMore whether there are older ones
   */
  record Acts(List<ListedAct> acts, boolean hasMore) implements TypeTab {
    private static final int MOST = 50;
  }

  /** The numbers are those of all users, and the operator may see some of them alone. */
  record OutOfScope() implements TypeTab {}

  /** Those that the operator may see, the first one being that of the page's own address. */
  static List<String> of(Visit visit) {
    List<String> numbers =
        visit.may("STATS_READ") ? List.of("now", "history", "failures") : List.of();
    List<String> acts = visit.may("AUDIT_READ") ? List.of("acts") : List.of();
    return Stream.of(numbers, List.of("tables", "settings"), acts).flatMap(List::stream).toList();
  }

  static TypeTab read(Visit visit, TaskTypeSettings type, String tab) {
    return switch (tab) {
      case "settings" ->
          new Settings(Setting.of(type), visit.may("TYPE_TUNE"), visit.may("TYPE_SAVE"));
      case "tables" -> new Tables(new TableClient(visit.api()).list(type.taskType()));
      case "acts" -> acts(visit, type);
      default -> numbers(visit, type.taskType(), tab);
    };
  }

  private static TypeTab acts(Visit visit, TaskTypeSettings type) {
    ActFilter filter = ActFilter.onObject("type:" + type.taskType());
    ActPage page = new ActClient(visit.api()).list(filter, Acts.MOST, null);
    return new Acts(page.actList(), page.nextCursor() != null);
  }

  private static TypeTab numbers(Visit visit, String type, String tab) {
    StatsClient stats = new StatsClient(visit.api());
    try {
      return switch (tab) {
        case "history" -> history(stats, type, Range.ofCode(visit.text("range")), visit);
        case "failures" -> new Failed(Failures.ofType(visit, type));
        default -> new Now(stats.stages(type));
      };
    } catch (FlowException refused) {
      if (refused.errorCode() == ErrorCode.OUT_OF_SCOPE) {
        return new OutOfScope();
      }
      throw refused;
    }
  }

  private static TypeTab history(StatsClient stats, String type, Range asked, Visit visit) {
    // The time is the server's; within a step the question is the same, and the page.
    Meta meta = stats.meta();
    List<Range> ranges = Range.within(meta.limits().getOrDefault("historyMs", Long.MAX_VALUE));
    Range range = ranges.contains(asked) ? asked : ranges.get(0);
    long to = (meta.now() / range.stepMs() + 1) * range.stepMs();
    String stage = visit.form().given("stage");
    Series series =
        stats.series(
            new SeriesRequest(List.of(type), stage, to - range.lengthMs(), to, range.points()));
    return new History(range, ranges, visit.text("stage"), series.whole(), charts(series));
  }

  private static List<Chart> charts(Series series) {
    long from = series.from();
    long step = series.stepMs();
    Map<String, List<Long>> counts = series.series();
    return List.of(
        Chart.lines("flow", from, step, "finished", "created", counts),
        Chart.bars("failed", from, step, "failed", "retried", counts),
        Chart.band("wait", from, step, series.waitMs()),
        Chart.band("run", from, step, series.runMs()));
  }
}
