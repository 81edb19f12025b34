package io.asyncflow.dev.command.fleet;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.TaskTypeSettings.Removable;
import io.asyncflow.api.stats.StageList;
import io.asyncflow.api.table.TaskTable;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.command.option.ActOptions;
import io.asyncflow.dev.command.option.Output;
import io.asyncflow.dev.command.option.ServerCommand;
import io.asyncflow.dev.environment.ServerOption;
import io.asyncflow.dev.text.TypeText;
import java.io.PrintStream;
import java.time.ZoneId;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code ./asyncflow type}: shows and changes the task types of a server somewhere. */
@Command(
    name = "type",
    synopsisSubcommandLabel = "COMMAND",
    description = "Shows and changes the task types of a running server.")
public final class TypeCommand extends ServerCommand {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String TYPE = "task_type";

  /** The only column whose numbers may be large. */
  private static final String ROWS = "roll_threshold";

  private static final Set<String> NOT_SAVED = Set.of(TYPE, "create_time", "modify_time");

  public TypeCommand(Map<String, String> environment, PrintStream out, ZoneId zone) {
    super(environment, out, zone);
  }

  record Types(List<TaskTypeSettings> scheduleCfgList) {}

  record Tables(List<TaskTable> tables) {}

  record Rolled(String table) {}

  @Command(name = "list", description = "Shows all types.")
  void list(@Mixin ServerOption server, @Mixin Output output) {
    List<TaskTypeSettings> types = client(server).taskTypes();
    print(output, new Types(types), types, TypeText.table(types), "There are no task types.", null);
  }

  @Command(name = "show", description = "Shows all columns of a type.")
  void show(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "TYPE", description = "the type") String name,
      @Mixin Output output) {
    TaskTypeSettings type =
        client(server).taskTypes().stream()
            .filter(known -> known.taskType().equalsIgnoreCase(name))
            .findFirst()
            .orElseThrow(() -> new DevException("There is no task type " + name + "."));
    print(output, type, TypeText.sheet(type, times));
  }

  @Command(
      name = "stages",
      description = "Shows the stages of a type, and the numbers of their tasks.")
  void stages(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "TYPE", description = "the type") String name,
      @Mixin Output output) {
    StageList stages = client(server).stats().stages(name);
    if (output.printed(stages, out)) {
      return;
    }
    if (stages.stages().isEmpty()) {
      out.println("It has no tasks.");
    } else {
      TypeText.stages(stages).forEach(out::println);
    }
    if (!stages.whole()) {
      out.println("There may be more stages.");
    }
  }

  @Command(
      name = "tables",
      description = "Shows the tables of a type, and how far they have come in their life.")
  void tables(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "TYPE", description = "the type") String name,
      @Mixin Output output) {
    List<TaskTable> tables = client(server).tables().list(name);
    print(
        output,
        new Tables(tables),
        tables,
        TypeText.tables(tables, times),
        "It has no tables.",
        null);
  }

  @Command(name = "roll", description = "Begins the next table of a type now, and prints its name.")
  void roll(
      @Mixin ServerOption server,
      @Parameters(paramLabel = "TYPE", description = "the type") String name,
      @Mixin ActOptions act,
      @Mixin Output output) {
    String table = client(server).tables().roll(name, act.operator(), act.reason());
    print(output, new Rolled(table), table);
  }

  @Command(
      name = "clean",
      description =
          "Drops the first table of a type, which must be drained, before its retention is over.")
  void clean(
      @Mixin ServerOption server,
      @Parameters(index = "0", paramLabel = "TYPE", description = "the type") String name,
      @Parameters(index = "1", paramLabel = "TABLE", description = "its name, as tables shows it")
          String table,
      @Mixin ActOptions act) {
    client(server).tables().clean(name, table, act.operator(), act.reason());
    out.println("It is dropped within a minute.");
  }

  @Command(name = "save", description = "Creates a type, or changes some columns of one.")
  void save(
      @Mixin ServerOption server,
      @Parameters(index = "0", paramLabel = "TYPE", description = "the type") String name,
      @Parameters(
              index = "1..*",
              paramLabel = "COLUMN=VALUE",
              description =
                  "such as schedule_limit=50; show names the columns; max_retry_interval= and"
                      + " max_unexpected_retries= with nothing behind the sign remove these limits")
          Map<String, String> columns,
      @Mixin ActOptions act) {
    Map<String, String> values = columns == null ? Map.of() : columns;
    client(server)
        .saveTaskType(settings(name, values), removed(values), act.operator(), act.reason());
    out.println("Saved.");
  }

  /** The columns that have a value. */
  private static TaskTypeSettings settings(String name, Map<String, String> columns) {
    ObjectNode settings = JSON.valueToTree(TaskTypeSettings.named(name));
    Set<String> known =
        settings.propertyNames().stream()
            .filter(column -> !NOT_SAVED.contains(column))
            .collect(Collectors.toSet());
    columns.forEach(
        (column, value) -> {
          if (!known.contains(column)) {
            throw new UsageException("save does not know the column " + column + ".");
          }
          if (!value.isEmpty()) {
            settings.put(column, number(column, value));
          }
        });
    return JSON.treeToValue(settings, TaskTypeSettings.class);
  }

  private static long number(String column, String value) {
    int digits = column.equals(ROWS) ? 15 : 9;
    if (!value.matches("-?\\d{1," + digits + "}")) {
      throw new UsageException(column + " wants a whole number, not " + value + ".");
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
}
