package io.asyncflow.console.page.type;

import io.asyncflow.api.act.ListedAct;
import io.asyncflow.api.stats.StageList;
import io.asyncflow.api.table.TaskTable;
import io.asyncflow.console.chart.Chart;
import io.asyncflow.console.page.failure.Failures;
import java.util.List;

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
      return maySave || mayTune && setting.isTuned();
    }
  }

  /**
   * What was done to it by hand.
   *
   * @param hasMore whether there are older ones
   */
  record Acts(List<ListedAct> acts, boolean hasMore) implements TypeTab {}

  /** The numbers are those of all users, and the operator may see some of them alone. */
  record OutOfScope() implements TypeTab {}
}
