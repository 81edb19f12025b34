package io.asyncflow.dev.text;

import io.asyncflow.api.OneLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;

/** What is shown of things of a kind: values with names, as a table of many or a sheet of one. */
public final class Layout<T> {

  private static final String GAP = "  ";

  /**
   * A column of a table, and a line of a sheet.
   *
   * @param unknown what a table shows in place of {@code null}, which a sheet leaves out
   */
  private record Field<T>(String name, BiFunction<T, TimeText, String> value, String unknown) {}

  private final Function<T, String> head;
  private final List<Field<T>> fields = new ArrayList<>();

  /** A layout of tables alone. */
  public Layout() {
    this(thing -> "");
  }

  /**
   * @param head the first line of a sheet
   */
  public Layout(Function<T, String> head) {
    this.head = head;
  }

  /** Adds a text of a thing. */
  public Layout<T> text(String name, BiFunction<T, TimeText, String> value) {
    fields.add(new Field<>(name, value, ""));
    return this;
  }

  /** Adds a text, a number or a constant of a thing. */
  public Layout<T> value(String name, Function<T, ?> value) {
    return text(name, (thing, times) -> Objects.toString(value.apply(thing), null));
  }

  /** Adds a moment of a thing, epoch ms. */
  public Layout<T> time(String name, Function<T, Long> value) {
    fields.add(
        new Field<>(
            name,
            (thing, times) -> {
              Long epochMs = value.apply(thing);
              return epochMs == null ? null : times.of(epochMs);
            },
            "-"));
    return this;
  }

  /** Adds a number of milliseconds. */
  public Layout<T> span(String name, Function<T, Long> value) {
    return value(
        name,
        thing -> {
          Long ms = value.apply(thing);
          return ms == null ? null : TimeText.ofDuration(ms);
        });
  }

  /** One line a thing, below a line of heads, each column as wide as its widest text. */
  public List<String> table(List<T> things, TimeText times) {
    List<List<String>> rows =
        Stream.concat(
                Stream.of(fields.stream().map(Field::name).toList()),
                things.stream().map(thing -> row(thing, times)))
            .toList();
    int[] widths = new int[fields.size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], Columns.of(row.get(i)));
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private List<String> row(T thing, TimeText times) {
    return fields.stream()
        .map(
            field -> Objects.requireNonNullElse(field.value().apply(thing, times), field.unknown()))
        .map(OneLine::of)
        .toList();
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String text = row.get(i);
      line.append(text).append(" ".repeat(widths[i] - Columns.of(text))).append(GAP);
    }
    return line.toString().stripTrailing();
  }

  /** A line with a head, and one for each value that is known. */
  public List<String> sheet(T thing, TimeText times) {
    return Stream.concat(
            Stream.of(OneLine.of(head.apply(thing))),
            fields.stream().flatMap(field -> line(field.name(), field.value().apply(thing, times))))
        .toList();
  }

  /** A line of a sheet; none for what is unknown. */
  public static Stream<String> line(String name, String text) {
    return text == null || text.isEmpty()
        ? Stream.empty()
        : Stream.of("  %-16s%s".formatted(name, OneLine.of(text)));
  }
}
