package io.asyncflow.flowsvr.tasktable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The columns and secondary keys of a table, each with the text that the engine defines it by.
 *
 * <p>Two tables of one engine are alike when these texts are: the order of columns does not matter,
 * because every statement names its columns.
 */
record TableShape(Map<String, String> columns, Map<String, String> keys) {

  private static final Pattern COLUMN = Pattern.compile("\\s*`([^`]+)` (.+?),?");
  private static final Pattern KEY = Pattern.compile("\\s*((?:UNIQUE )?KEY `([^`]+)` .+?),?");

  /** Reads the answer of SHOW CREATE TABLE, which has one column or key a line. */
  static TableShape parse(String ddl) {
    Map<String, String> columns = new LinkedHashMap<>();
    Map<String, String> keys = new LinkedHashMap<>();
    for (String line : ddl.split("\n")) {
      Matcher column = COLUMN.matcher(line);
      Matcher key = KEY.matcher(line);
      if (column.matches()) {
        columns.put(column.group(1), column.group(2));
      } else if (key.matches()) {
        keys.put(key.group(2), key.group(1));
      }
    }
    return new TableShape(columns, keys);
  }

  /** The clauses of the ALTER TABLE that make a table of this shape like {@code template}. */
  List<String> changesTo(TableShape template) {
    List<String> changes = new ArrayList<>();
    template.columns.forEach(
        (name, definition) -> {
          String mine = columns.get(name);
          if (mine == null) {
            changes.add("ADD COLUMN `" + name + "` " + definition);
          } else if (!mine.equals(definition)) {
            changes.add("MODIFY COLUMN `" + name + "` " + definition);
          }
        });
    keys.forEach(
        (name, definition) -> {
          if (!definition.equals(template.keys.get(name))) {
            changes.add("DROP KEY `" + name + "`");
          }
        });
    template.keys.forEach(
        (name, definition) -> {
          if (!definition.equals(keys.get(name))) {
            changes.add("ADD " + definition);
          }
        });
    columns.forEach(
        (name, definition) -> {
          if (!template.columns.containsKey(name)) {
            changes.add("DROP COLUMN `" + name + "`");
          }
        });
    return changes;
  }
}
