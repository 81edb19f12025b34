package io.asyncflow.console.page;

import io.asyncflow.api.stats.FailureGroup;
import io.asyncflow.console.frame.Frame;
import java.util.regex.Pattern;

/** The words of a search for tasks, as {@code task/search} has them. */
public final class TaskWords {

  /** The id of a task. */
  public static final String TASK = "[0-9]{1,19}_[A-Za-z][A-Za-z0-9_]*_task_[0-9]{1,9}";

  private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{N}_.*@/+=-]+");

  private TaskWords() {}

  /** Tasks of a stage in this status. */
  public static String ofStage(String type, String stage, String status) {
    return words("type", type, "stage", stage, "status", status);
  }

  /** Tasks of a type in this status. */
  public static String ofType(String type, String status) {
    return words("type", type, "status", status);
  }

  /** Tasks of a user. */
  public static String ofUser(String user) {
    return words("user", user);
  }

  /**
   * Tasks that a worker was the last to hold.
   *
   * @param status {@code null} for any
   */
  public static String ofWorker(String worker, String status) {
    return words("worker", worker, "status", status);
  }

  /**
   * Tasks of a type and stage that may have failed so. A search knows no single failures: those
   * that ended a task are found by its status, others by its retries.
   */
  public static String ofGroup(FailureGroup group) {
    if (group.finals() > 0) {
      return ofStage(group.taskType(), group.taskStage(), "failed");
    }
    boolean countsAsRetry = "RETRY".equals(group.verdict()) || "TIMED_OUT".equals(group.verdict());
    String words = ofStage(group.taskType(), group.taskStage(), null);
    return countsAsRetry ? words + " retries>0" : words;
  }

  /** The page of the task or job with an id; {@code null} of a text that is no id. */
  public static String pageOf(String text) {
    if (text.matches(TASK)) {
      return "/tasks/" + text;
    }
    return text.matches("[0-9]{15,19}") ? "/jobs/" + text : null;
  }

  /** The address of the page that searches. */
  public static String address(Frame frame, String words) {
    return frame.to("/tasks", "q", words);
  }

  private static String words(String... namesAndValues) {
    StringBuilder words = new StringBuilder();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      String value = namesAndValues[i + 1];
      if (value != null) {
        words.append(words.isEmpty() ? "" : " ").append(namesAndValues[i]).append(':');
        words.append(value(value));
      }
    }
    return words.toString();
  }

  /** A value as a word has it: in quotes where it needs them. */
  public static String value(String value) {
    return PLAIN.matcher(value).matches()
        ? value
        : '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
