package io.asyncflow.flowsvr.operate.why;

import io.asyncflow.api.find.WhyReason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects reasons; those that block come first. Not thread-safe. */
final class Reasons {

  private final List<WhyReason> all = new ArrayList<>();
  private int blocking;

  void add(Cause cause, Object... data) {
    addUntil(null, cause, data);
  }

  /**
   * Adds a reason.
   *
   * @param until epoch ms at which it ends by itself; {@code null} if that is not known
   * @param data names and values; a value that is {@code null} is left out, and one whose name
   *     begins with a hash is for the text alone
   */
  void addUntil(Long until, Cause cause, Object... data) {
    Map<String, Object> shown = new LinkedHashMap<>();
    String text = cause.text;
    for (int i = 0; i < data.length; i += 2) {
      String name = (String) data[i];
      boolean isForText = name.startsWith("#");
      text = text.replace("{" + (isForText ? name.substring(1) : name) + "}", "" + data[i + 1]);
      if (!isForText && data[i + 1] != null) {
        shown.put(name, data[i + 1]);
      }
    }
    all.add(
        cause.blocks ? blocking++ : all.size(),
        new WhyReason(cause.code, cause.blocks, shown, until, cause.todo, text));
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  List<WhyReason> all() {
    return List.copyOf(all);
  }
}
