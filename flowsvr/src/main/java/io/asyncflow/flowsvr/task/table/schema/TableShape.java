package io.asyncflow.flowsvr.task.table.schema;

import io.asyncflow.flowsvr.base.system.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.dao.InvalidDataAccessResourceUsageException;

/**
 * The columns and secondary keys of a table, each with its definition as the engine shows it.
 *
 * <p>Two tables of one engine have the same shape if these texts are equal. The order of columns
 * does not matter, because every statement names its columns.
 */
record TableShape(Map<String, String> columns, Map<String, String> keys) {

  private static final Pattern COLUMN = Pattern.compile("\\s*`([^`]+)` (.+?),?");

  /**
   * Shown by MySQL only for some columns, depending on how they were created; the collation implies
   * it.
   */
  private static final Pattern IMPLIED_CHARACTER_SET =
      Pattern.compile("CHARACTER SET \\w+ (?=COLLATE )");

  private static final Pattern KEY = Pattern.compile("\\s*((?:UNIQUE )?KEY `([^`]+)` .+?),?");

  /** Parses the result of SHOW CREATE TABLE, which has one column or key per line. */
  static TableShape parse(String ddl) {
    Map<String, String> columns = new LinkedHashMap<>();
    Map<String, String> keys = new LinkedHashMap<>();
    for (String line : ddl.split("\n")) {
      Matcher column = COLUMN.matcher(line);
      Matcher key = KEY.matcher(line);
      if (column.matches()) {
        columns.put(column.group(1), IMPLIED_CHARACTER_SET.matcher(column.group(2)).replaceAll(""));
      } else if (key.matches()) {
        keys.put(key.group(2), key.group(1));
      }
    }
    if (columns.isEmpty()) { // or all columns of tables would be taken for superfluous
      throw new InvalidDataAccessResourceUsageException("no column in: " + ddl);
    }
    return new TableShape(columns, keys);
  }

  /**
   * A digest of 64 hexadecimal digits, equal for tables with the same columns and keys in the same
   * order.
   */
  String digest() {
    byte[] text = (columns + "\n" + keys).getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(Sha256.of(text));
  }

  /**
   * The changes that give a table of this shape the shape of {@code template}, each the clauses of
   * one ALTER TABLE. Changes that an engine may make instantly are kept apart from others, so that
   * a new index does not make a new column rewrite the rows. All keys change in one statement,
   * because servers of the previous version still use them.
   */
  List<String> changesTo(TableShape template) {
    List<String> changes = new ArrayList<>();
    changes.add(missingColumns(template));
    template.columns.forEach(
        (name, definition) -> {
          if (columns.containsKey(name) && !definition.equals(columns.get(name))) {
            changes.add("MODIFY COLUMN `" + name + "` " + definition);
          }
        });
    changes.add(keyChanges(template));
    changes.add(superfluousColumns(template));
    changes.removeIf(String::isEmpty);
    return changes;
  }

  private String missingColumns(TableShape template) {
    return template.columns.entrySet().stream()
        .filter(column -> !columns.containsKey(column.getKey()))
        .map(column -> "ADD COLUMN `" + column.getKey() + "` " + column.getValue())
        .collect(Collectors.joining(", "));
  }

  private String keyChanges(TableShape template) {
    Stream<String> drops =
        keys.entrySet().stream()
            .filter(key -> !key.getValue().equals(template.keys.get(key.getKey())))
            .map(key -> "DROP KEY `" + key.getKey() + "`");
    Stream<String> adds =
        template.keys.entrySet().stream()
            .filter(key -> !key.getValue().equals(keys.get(key.getKey())))
            .map(key -> "ADD " + key.getValue());
    return Stream.concat(drops, adds).collect(Collectors.joining(", "));
  }

  private String superfluousColumns(TableShape template) {
    return columns.keySet().stream()
        .filter(name -> !template.columns.containsKey(name))
        .map(name -> "DROP COLUMN `" + name + "`")
        .collect(Collectors.joining(", "));
  }
}
