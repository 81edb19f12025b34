package io.asyncflow.dev.text;

import io.asyncflow.api.OneLine;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Lines of columns, each as wide as its widest text. Not thread-safe. */
final class TextTable {
  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();

  TextTable(String... heads) {
    rows.add(List.of(heads));
  }

  /** Adds a row; the texts may be a server's, and {@code null} is an empty one. */
  void add(String... texts) {
    rows.add(Arrays.stream(texts).map(text -> text == null ? "" : OneLine.of(text)).toList());
  }

  List<String> lines() {
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        widths[i] = Math.max(widths[i], Columns.of(row.get(i)));
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < row.size(); i++) {
      String text = row.get(i);
      line.append(text).append(" ".repeat(widths[i] - Columns.of(text))).append(GAP);
    }
    return line.toString().stripTrailing();
  }
}
