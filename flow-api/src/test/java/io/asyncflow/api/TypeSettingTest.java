package io.asyncflow.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What says the settings of a type once more, because it is no Java, is the same. */
class TypeSettingTest {

  private static final List<String> COLUMNS =
      Stream.of(TypeSetting.values()).map(TypeSetting::column).toList();

  @Test
  void recordHasAllSettings() {
    List<String> names = new ArrayList<>();
    for (RecordComponent component : TaskTypeSettings.class.getRecordComponents()) {
      names.add(component.getAccessor().getAnnotation(JsonProperty.class).value());
    }
    assertThat(names).containsAll(COLUMNS);
    assertThat(names).hasSize(COLUMNS.size() + 3);
    assertThat(TypeSetting.byComponent()).hasSize(COLUMNS.size());
  }

  @Test
  void columnsHaveTheSameDefaults() throws IOException {
    Map<String, String> defaults =
        found(
            "../db/migration/V1__baseline.sql",
            "CREATE TABLE t_schedule_cfg",
            ") ENGINE",
            "  (\\w+) +(?:INT|BIGINT|TINYINT) .*? DEFAULT (\\w+)");
    assertThat(defaults).containsOnlyKeys(COLUMNS);
    for (TypeSetting setting : TypeSetting.values()) {
      assertThat(defaults.get(setting.column()))
          .as(setting.column())
          .isEqualTo(setting.usual() == null ? "NULL" : setting.usual().toString());
    }
  }

  @Test
  void documentNamesAll() throws IOException {
    Map<String, String> rows =
        found("../docs/api.md", "### `POST /api/task_schedule_cfg/save`", "\n### ", "`(\\w+)`()");
    assertThat(rows).containsKeys(COLUMNS.toArray(new String[0]));
  }

  @Test
  void pythonHasAllWithTheirRanges() throws IOException {
    String python = "../clients/python/src/asyncflow/";
    assertThat(
            found(
                python + "model.py",
                "class TaskType:",
                "\n\n\n",
                "    (\\w+): Optional\\[int\\]()"))
        .containsOnlyKeys(COLUMNS);
    Map<String, String> ranges =
        found(
            python + "testing.py",
            "\"task_schedule_cfg/save\": {",
            "**REASON",
            "\"(\\w+)\": \\(\"number\", (-?[\\d_*]+, [\\d_*]+)\\)");
    Map<String, String> expected = new HashMap<>();
    for (TypeSetting setting : TypeSetting.values()) {
      expected.put(setting.column(), setting.min() + ", " + setting.max());
    }
    ranges.replaceAll((name, range) -> range.replace("_", "").replace("10**12", "1000000000000"));
    assertThat(ranges).containsExactlyInAnyOrderEntriesOf(expected);
  }

  @Test
  void defaultsOfThePythonFakeAreTheSame() throws IOException {
    found("../clients/python/src/asyncflow/testing.py", "DEFAULTS: ", "}", "\"(\\w+)\": (\\w+),")
        .forEach(
            (name, value) ->
                assertThat(TypeSetting.ofColumn(name).orElseThrow().usual())
                    .as(name)
                    .isEqualTo(value.equals("None") ? null : Long.valueOf(value)));
  }

  /** The pairs of groups of a pattern between two texts. */
  private static Map<String, String> found(String file, String start, String end, String pattern)
      throws IOException {
    String text = Files.readString(Path.of(file));
    int from = text.indexOf(start);
    assertThat(from).as(start).isNotNegative();
    Map<String, String> found = new HashMap<>();
    Matcher matcher =
        Pattern.compile(pattern).matcher(text.substring(from, text.indexOf(end, from)));
    while (matcher.find()) {
      found.put(matcher.group(1), matcher.group(2));
    }
    return found;
  }
}
