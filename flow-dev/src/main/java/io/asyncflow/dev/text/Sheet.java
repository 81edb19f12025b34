package io.asyncflow.dev.text;

import io.asyncflow.api.OneLine;
import java.util.ArrayList;
import java.util.List;

/** Lines about one thing, each with a name. Not thread-safe. */
final class Sheet {
  private final List<String> lines = new ArrayList<>();

  Sheet(String head) {
    lines.add(OneLine.of(head));
  }

  /** Adds a line; nothing for what is unknown. */
  Sheet line(String name, String text) {
    if (text != null && !text.isEmpty()) {
      lines.add("  %-16s%s".formatted(name, OneLine.of(text)));
    }
    return this;
  }

  List<String> lines() {
    return lines;
  }
}
