package io.asyncflow.dev.command.fleet;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.TaskTypeSettings.Removable;
import io.asyncflow.api.TypeSetting;
import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.api.stats.StageList;
import io.asyncflow.api.stats.StageList.Percentiles;
import io.asyncflow.api.stats.StageList.StageNumbers;
import io.asyncflow.api.table.TableClient;
import io.asyncflow.api.table.TaskTable;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.command.option.Argument;
import io.asyncflow.dev.command.option.CommandEntry;
import io.asyncflow.dev.command.option.Run;
import io.asyncflow.dev.command.option.Terminal;
import io.asyncflow.dev.text.Layout;
import io.asyncflow.dev.text.TimeText;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code ./asyncflow type}: shows and changes the task types of a server somewhere. */
public final class TypeCommand extends CommandEntry {

  private static final JsonMapper JSON_MAPPER = JsonMapper.builder().build();
  private static final Set<String> MOMENTS = Set.of("create_time", "modify_time");

  private static final Argument<String> TYPE = parameter("TYPE", "the type");

  private static final Layout<TaskTypeSettings> TYPES =
      new Layout<TaskTypeSettings>()
          .value("TYPE", TaskTypeSettings::taskType)
          .value("STATE", type -> isZero(type.paused()) ? "ACTIVE" : "PAUSED")
          .value("PER HOLD", type -> text(type.scheduleLimit()))
          .value("MAX TIME", type -> text(type.maxProcessingTime()) + "s")
          .value("RETRIES", type -> text(type.maxRetryNum()))
          .value("LEASE", type -> text(type.leaseSeconds()) + "s")
          .value("AT ONCE", type -> limit(type.maxExecuting()))
          .value("PER SECOND", type -> limit(type.rateLimit()));

  /** The columns of {@code t_schedule_cfg}. */
  private static final Layout<Entry<String, JsonNode>> SHEET =
      new Layout<Entry<String, JsonNode>>()
          .value("COLUMN", Entry::getKey)
          .text("VALUE", (column, times) -> text(column.getKey(), column.getValue(), times));

  private static final Layout<StageNumbers> STAGES =
      new Layout<StageNumbers>()
          .value("STAGE", StageNumbers::taskStage)
          .value("DUE", stage -> count(stage.due()))
          .value("LATER", stage -> count(stage.later()))
          .value("EXECUTING", stage -> count(stage.executing()))
          .value("PAUSED", stage -> count(stage.paused()))
          .value("FAILED", stage -> count(stage.failed()))
          .value("OLDEST DUE", stage -> duration(stage.oldestDueMs()))
          .value("WORKERS", StageNumbers::workers)
          .value("RUN P50", stage -> duration(stage.runMs(), Percentiles::p50))
          .value("RUN P95", stage -> duration(stage.runMs(), Percentiles::p95))
          .value("WAIT P95", stage -> duration(stage.waitMs(), Percentiles::p95));

  private static final Layout<TaskTable> TABLES =
      new Layout<TaskTable>()
          .value("TABLE", TaskTable::table)
          .value("STATE", TaskTable::state)
          .value("ROWS", table -> estimate(table.rows()))
          .value("BYTES", table -> estimate(table.bytes()))
          .time("CREATED", TaskTable::createTime)
          .time("DRAINED", TaskTable::drainTime)
          .value("PAUSED TASKS", table -> table.paused() ? "yes" : "no");

  public TypeCommand(Terminal terminal) {
    super(terminal, "type");
    says("Shows and changes the task types of a running server.");
    command("list", JSON)
        .says("Shows all types.")
        .does(
            run ->
                run.table(
                    "scheduleCfgList", run.flow().taskTypes(), TYPES, "There are no task types."));
    command("show", TYPE, JSON).says("Shows all columns of a type.").does(TypeCommand::show);
    command("stages", TYPE, JSON)
        .says("Shows the stages of a type, and the numbers of their tasks.")
        .does(
            run -> {
              StageList stages = run.flow().stats().stages(run.get(TYPE));
              run.table(stages, stages.stages(), STAGES, "It has no tasks.");
              run.sayIf(!stages.whole(), "There may be more stages.");
            });
    command("tables", TYPE, JSON)
        .says("Shows the tables of a type, and how far they have come in their life.")
        .does(
            run -> {
              List<TaskTable> tables = run.flow().tables().list(run.get(TYPE));
              run.table("tables", tables, TABLES, "It has no tables.");
            });
    command("roll", TYPE, OPERATOR, REASON, JSON)
        .says("Begins the next table of a type now, and prints its name.")
        .does(
            run -> {
              TableClient tables = run.flow().tables();
              run.sayId("table", tables.roll(run.get(TYPE), run.operator(), run.reason()));
            });
    Argument<String> table = parameter("TABLE", "its name, as tables shows it");
    command("clean", TYPE, table, OPERATOR, REASON)
        .says(
            "Drops the first table of a type, which must be drained, before its retention is over.")
        .does(
            "It is dropped within a minute.",
            run ->
                run.flow()
                    .tables()
                    .clean(run.get(TYPE), run.get(table), run.operator(), run.reason()));
    Argument<Map<String, String>> columns =
        parameter(
                "COLUMN=VALUE",
                "such as schedule_limit=50; show names the columns; max_retry_interval= and"
                    + " max_unexpected_retries= with nothing behind the sign remove these limits")
            .map();
    command("save", TYPE, columns, OPERATOR, REASON)
        .says("Creates a type, or changes some columns of one.")
        .does("Saved.", run -> save(run, run.get(columns)));
  }

  private static void show(Run run) {
    String name = run.get(TYPE);
    TaskTypeSettings type =
        run.flow().taskTypes().stream()
            .filter(known -> known.taskType().equalsIgnoreCase(name))
            .findFirst()
            .orElseThrow(() -> new DevException("There is no task type " + name + "."));
    ObjectNode columns = JSON_MAPPER.valueToTree(run.answer(type));
    run.say(SHEET.table(List.copyOf(columns.properties()), run.times()));
  }

  private static void save(Run run, Map<String, String> columns) {
    TaskTypeSettings type = settings(run.get(TYPE), columns);
    run.flow().saveTaskType(type, removed(columns), run.operator(), run.reason());
  }

  /** The columns that have a value. */
  private static TaskTypeSettings settings(String name, Map<String, String> columns) {
    Map<TypeSetting, Long> values = new EnumMap<>(TypeSetting.class);
    columns.forEach(
        (column, value) -> {
          TypeSetting setting =
              TypeSetting.ofColumn(column)
                  .orElseThrow(
                      () -> new UsageException("save does not know the column " + column + "."));
          if (!value.isEmpty()) {
            values.put(setting, number(setting, value));
          }
        });
    return TypeSetting.settings(name, values::get);
  }

  private static long number(TypeSetting setting, String value) {
    int digits = setting.isLong() ? 15 : 9;
    if (!value.matches("-?\\d{1," + digits + "}")) {
      throw new UsageException(setting.column() + " wants a whole number, not " + value + ".");
    }
    return Long.parseLong(value);
  }

  /** The columns that have none from now on. */
  private static Set<Removable> removed(Map<String, String> columns) {
    Set<Removable> removed = EnumSet.noneOf(Removable.class);
    columns.forEach(
        (column, value) -> {
          if (value.isEmpty()) {
            removed.add(
                Stream.of(Removable.values())
                    .filter(removable -> removable.column().equals(column))
                    .findFirst()
                    .orElseThrow(() -> new UsageException(column + " needs a value.")));
          }
        });
    return removed;
  }

  private static String text(String name, JsonNode value, TimeText times) {
    if (value.isNull()) {
      return "-";
    }
    return MOMENTS.contains(name) ? times.of(value.asLong()) : value.asString();
  }

  private static String estimate(Long number) {
    return number == null ? "-" : String.format(Locale.ROOT, "~%,d", number);
  }

  private static String count(BoundedCount count) {
    if (count == null) {
      return null;
    }
    String number = String.format(Locale.ROOT, "%,d", count.count());
    return switch (count.kind()) {
      case EXACT -> number;
      case AT_LEAST -> number + "+";
      case ABOUT -> "~" + number;
    };
  }

  private static String duration(Percentiles times, Function<Percentiles, Long> value) {
    return duration(times == null ? null : value.apply(times));
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
