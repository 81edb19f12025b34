package io.asyncflow.console.page.account;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the help explains: keys of names, each with the key of its meaning. */
public final class Help {

  /** In the order of their columns. */
  public static final Map<String, String> WORK =
      inOrder(
          "overview.due", "help.due",
          "overview.oldest", "help.oldest",
          "overview.executing", "help.executing",
          "overview.created_hour", "help.created",
          "overview.finished_hour", "help.finished",
          "overview.failed", "help.failed",
          "nav.workers", "help.workers");

  public static final Map<String, String> STAGES =
      inOrder(
          "stage.later", "help.later",
          "stage.failed", "help.ended",
          "stage.wait", "help.wait",
          "stage.run", "help.run");

  public static final List<String> VERDICTS =
      List.of("RETRY", "FAIL", "TIMED_OUT", "WORKER_LOST", "POISON", "OPERATOR");

  public static final List<String> PROBLEMS =
      List.of(
          "NO_WORKER",
          "LATE",
          "LIMIT",
          "POISONED",
          "PAUSED",
          "TABLE_STUCK",
          "WORKER_LOST",
          "WORKER_HEALTH",
          "WORKER_STUCK",
          "WORKER_QUARANTINED",
          "WORKER_SPOOLED",
          "WORKER_TOO_OLD",
          "DUTY",
          "NO_LEADER",
          "TWO_WRITERS");

  private Help() {}

  private static Map<String, String> inOrder(String... keysAndMeanings) {
    Map<String, String> all = new LinkedHashMap<>();
    for (int i = 0; i < keysAndMeanings.length; i += 2) {
      all.put(keysAndMeanings[i], keysAndMeanings[i + 1]);
    }
    return Collections.unmodifiableMap(all);
  }
}
