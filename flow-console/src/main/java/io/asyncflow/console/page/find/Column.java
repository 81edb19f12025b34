package io.asyncflow.console.page.find;

import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** A column of the list of found tasks that an operator may leave out. */
public enum Column {
  STAGE,
  USER,
  CREATED,
  DUE,
  CHANGED,
  ATTEMPTS,
  WORKER,
  ERROR;

  static final String COOKIE = "asyncflow_columns";

  /** Its name in the cookie, in forms, and in the keys of its words. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * @param cookie names with dots between them; empty for the usual columns
   */
  static Set<Column> of(String cookie) {
    if (cookie.isEmpty()) {
      return EnumSet.complementOf(EnumSet.of(CHANGED));
    }
    return of(Arrays.asList(cookie.split("\\.")));
  }

  static Set<Column> of(Collection<String> keys) {
    return Arrays.stream(values())
        .filter(column -> keys.contains(column.key()))
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Column.class)));
  }

  /** An empty cookie stands for the usual ones, so there is a word for none. */
  static String cookieValue(Set<Column> columns) {
    return columns.isEmpty()
        ? "none"
        : columns.stream().map(Column::key).collect(Collectors.joining("."));
  }
}
