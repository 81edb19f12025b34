package io.asyncflow.dev.text;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.FirePage;
import io.asyncflow.api.schedule.ScheduleFire;
import io.asyncflow.api.schedule.ScheduleGap;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The history of a schedule as lines, newest first. */
public final class FireText {
  private FireText() {}

  /** One line of a table, at its time. */
  private record Row(long time, String... texts) {}

  /**
   * A line a fire and a line a gap, below a line of heads; empty for a schedule without history.
   */
  public static List<String> table(FirePage page, TimeText times) {
    List<Row> rows =
        Stream.concat(
                page.fireList().stream().map(fire -> row(fire, times)),
                page.gapList().stream().map(gap -> row(gap, times)))
            .sorted(Comparator.comparingLong(Row::time).reversed())
            .toList();
    if (rows.isEmpty()) {
      return List.of();
    }
    TextTable table = new TextTable("FIRE TIME", "OUTCOME", "ENDED", "AFTER", "RUN");
    rows.forEach(row -> table.add(row.texts()));
    return table.lines();
  }

  private static Row row(ScheduleFire fire, TimeText times) {
    return new Row(
        fire.fireTime(),
        times.of(fire.fireTime()),
        fire.outcome() + (fire.manual() ? ", by hand" : ""),
        fire.status() == null ? "" : TaskStatus.ofCode(fire.status()).name(),
        fire.costMs() == null ? "" : TimeText.ofDuration(fire.costMs()),
        fire.jobId() == null ? fire.taskId() : "job " + fire.jobId());
  }

  private static Row row(ScheduleGap gap, TimeText times) {
    String fires = gap.fires() == 1 ? "" : ", " + gap.fires() + " fires from here on";
    return new Row(gap.fromTime(), times.of(gap.fromTime()), gap.reason() + fires, "", "", "");
  }
}
