package io.asyncflow.dev.text;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.api.stats.StageList;
import io.asyncflow.api.stats.StageList.Percentiles;
import io.asyncflow.api.stats.StageList.StageNumbers;
import io.asyncflow.api.table.TaskTable;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Task types as lines: many in a table, one with all of its columns, or the stages of one. */
public final class TypeText {
  private static final Set<String> MOMENTS = Set.of("create_time", "modify_time");

  private TypeText() {}

  /** One line a type, below a line of heads. */
  public static List<String> table(List<TaskTypeSettings> types) {
    TextTable table =
        new TextTable(
            "TYPE", "STATE", "PER HOLD", "MAX TIME", "RETRIES", "LEASE", "AT ONCE", "PER SECOND");
    for (TaskTypeSettings type : types) {
      table.add(
          type.taskType(),
          isZero(type.paused()) ? "ACTIVE" : "PAUSED",
          text(type.scheduleLimit()),
          text(type.maxProcessingTime()) + "s",
          text(type.maxRetryNum()),
          text(type.leaseSeconds()) + "s",
          limit(type.maxExecuting()),
          limit(type.rateLimit()));
    }
    return table.lines();
  }

  /** One line a column of {@code t_schedule_cfg}. */
  public static List<String> sheet(TaskTypeSettings type, TimeText times) {
    TextTable table = new TextTable("COLUMN", "VALUE");
    JsonText.tree(type)
        .properties()
        .forEach(
            column -> table.add(column.getKey(), value(column.getKey(), column.getValue(), times)));
    return table.lines();
  }

  private static String value(String name, JsonNode value, TimeText times) {
    if (value.isNull()) {
      return "-";
    }
    return MOMENTS.contains(name) ? times.of(value.asLong()) : value.asString();
  }

  /** One line a stage, below a line of heads. */
  public static List<String> stages(StageList stages) {
    TextTable table =
        new TextTable(
            "STAGE",
            "DUE",
            "LATER",
            "EXECUTING",
            "PAUSED",
            "FAILED",
            "OLDEST DUE",
            "WORKERS",
            "RUN P50",
            "RUN P95",
            "WAIT P95");
    for (StageNumbers stage : stages.stages()) {
      Percentiles run = stage.runMs();
      Percentiles wait = stage.waitMs();
      table.add(
          stage.taskStage(),
          count(stage.due()),
          count(stage.later()),
          count(stage.executing()),
          count(stage.paused()),
          count(stage.failed()),
          duration(stage.oldestDueMs()),
          Integer.toString(stage.workers()),
          duration(run == null ? null : run.p50()),
          duration(run == null ? null : run.p95()),
          duration(wait == null ? null : wait.p95()));
    }
    return table.lines();
  }

  /** One line a table, below a line of heads. */
  public static List<String> tables(List<TaskTable> tables, TimeText times) {
    TextTable table =
        new TextTable("TABLE", "STATE", "ROWS", "BYTES", "CREATED", "DRAINED", "PAUSED TASKS");
    for (TaskTable one : tables) {
      table.add(
          one.table(),
          one.state().name(),
          estimate(one.rows()),
          estimate(one.bytes()),
          times.of(one.createTime()),
          one.drainTime() == null ? "-" : times.of(one.drainTime()),
          one.paused() ? "yes" : "no");
    }
    return table.lines();
  }

  private static String estimate(Long number) {
    return number == null ? "-" : String.format(Locale.ROOT, "~%,d", number);
  }

  private static String count(BoundedCount count) {
    if (count == null) {
      return null;
    }
    return switch (count.kind()) {
      case EXACT -> String.format(Locale.ROOT, "%,d", count.count());
      case AT_LEAST -> String.format(Locale.ROOT, "%,d+", count.count());
      case ABOUT -> String.format(Locale.ROOT, "~%,d", count.count());
    };
  }

  private static String duration(Long ms) {
    return ms == null ? "-" : TimeText.ofDuration(ms);
  }

  private static String limit(Integer most) {
    return isZero(most) ? "-" : text(most);
  }

  private static boolean isZero(Integer number) {
    return number == null || number == 0;
  }

  private static String text(Integer number) {
    return number == null ? "-" : number.toString();
  }
}
