package io.asyncflow.systemtest.readme;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Compares what a document shows with what really came.
 *
 * <p>A shown id stands for a real one from the first answer on that shows it: there and in every
 * later command and answer. The member {@code "…":"…"} stands for members that are not shown.
 */
final class Shown {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String MORE = "…";

  /** The number of a task id, alone (a cursor) or with its type and table. */
  private static final Pattern NUMBER = Pattern.compile("\\b(\\d{15,19})(?=_|\\b)");

  private static final Pattern ID = Pattern.compile("(\\d{15,19})(_[a-z][a-z0-9_]*_task_\\d+)?");
  private static final Pattern TRACE_ID = Pattern.compile("[0-9a-f]{32}");
  private static final Pattern TIME = Pattern.compile(".*\\.(\\w+Time|create_time|modify_time)");

  private final Map<String, String> realIds = new HashMap<>();

  /** The command with real ids in place of the shown ones. */
  String real(String command) {
    Matcher numbers = NUMBER.matcher(command);
    return numbers.replaceAll(
        number -> {
          String real = realIds.get(number.group());
          if (real == null) {
            throw new AssertionError(
                "nothing before has shown where " + number.group() + " is from");
          }
          return real;
        });
  }

  /**
   * Compares two JSON texts.
   *
   * @throws AssertionError that names the first difference
   */
  void compare(String shown, String came) {
    compare("answer", JSON.readTree(shown), JSON.readTree(came));
  }

  private void compare(String where, JsonNode shown, JsonNode came) {
    if (shown.isObject() && came.isObject()) {
      compareMembers(where, shown, came);
    } else if (shown.isArray() && came.isArray() && shown.size() == came.size()) {
      for (int i = 0; i < shown.size(); i++) {
        compare(where + "[" + i + "]", shown.get(i), came.get(i));
      }
    } else if (!isSame(where, shown, came)) {
      throw new AssertionError(where + " is " + came + " and shown as " + shown);
    }
  }

  private void compareMembers(String where, JsonNode shown, JsonNode came) {
    Set<String> names = new TreeSet<>(shown.propertyNames());
    boolean mayHaveMore = names.remove(MORE);
    Set<String> real = new TreeSet<>(came.propertyNames());
    if (mayHaveMore ? !real.containsAll(names) : !real.equals(names)) {
      throw new AssertionError(where + " has the members " + real + " and is shown with " + names);
    }
    names.forEach(name -> compare(where + "." + name, shown.get(name), came.get(name)));
  }

  private boolean isSame(String where, JsonNode shown, JsonNode came) {
    if (shown.isString() && came.isString()) {
      return isSame(shown.asString(), came.asString());
    }
    if (TIME.matcher(where).matches()) {
      return isEpochMs(shown) && isEpochMs(came);
    }
    if (where.endsWith(".leaseMs")) {
      return came.isNumber() && came.asLong() > 0 && came.asLong() <= shown.asLong();
    }
    return shown.equals(came);
  }

  private static boolean isEpochMs(JsonNode time) {
    return time.isNumber() && time.asLong() > 1_700_000_000_000L;
  }

  private boolean isSame(String shown, String came) {
    Matcher shownId = ID.matcher(shown);
    Matcher realId = ID.matcher(came);
    if (shownId.matches() && realId.matches()) {
      String known = realIds.computeIfAbsent(shownId.group(1), number -> realId.group(1));
      return known.equals(realId.group(1))
          && String.valueOf(shownId.group(2)).equals(String.valueOf(realId.group(2)));
    }
    if (TRACE_ID.matcher(shown).matches()) {
      return TRACE_ID.matcher(came).matches();
    }
    return shown.equals(came);
  }

  /**
   * Compares lines of text. An ellipsis stands for anything; the number of a task for any other.
   *
   * @throws AssertionError if the lines differ
   */
  static void compareLines(String shown, String came) {
    String pattern = Pattern.quote(shown).replace(MORE, "\\E.*\\Q");
    pattern = NUMBER.matcher(pattern).replaceAll("\\\\E\\\\d{15,19}\\\\Q");
    if (!Pattern.matches(pattern, came)) {
      throw new AssertionError("came:\n" + came + "\nshown:\n" + shown);
    }
  }
}
