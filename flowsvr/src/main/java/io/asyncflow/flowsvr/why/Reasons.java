package io.asyncflow.flowsvr.why;

import io.asyncflow.api.find.WhyReason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Collects reasons; those that block come first. Not thread-safe. */
final class Reasons {

  private final List<WhyReason> blocking = new ArrayList<>();
  private final List<WhyReason> others = new ArrayList<>();

  /** Names and values; a value that is {@code null} is left out. */
  static Map<String, Object> data(Object... namesAndValues) {
    Map<String, Object> data = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      if (namesAndValues[i + 1] != null) {
        data.put((String) namesAndValues[i], namesAndValues[i + 1]);
      }
    }
    return data;
  }

  void block(String code, Map<String, Object> data, Long until, String todo, String text) {
    blocking.add(new WhyReason(code, true, data, until, todo, text));
  }

  void add(String code, Map<String, Object> data, Long until, String todo, String text) {
    others.add(new WhyReason(code, false, data, until, todo, text));
  }

  boolean isEmpty() {
    return blocking.isEmpty() && others.isEmpty();
  }

  List<WhyReason> all() {
    return Stream.concat(blocking.stream(), others.stream()).toList();
  }
}
