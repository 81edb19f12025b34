package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Arrays;
import java.util.List;

/**
 * The server's result for one report.
 *
 * @param taskId as the report named it
 * @param outcome {@code null} for a verdict that this version does not know; {@link #stands} holds
 *     all the same
 * @param code 0, or the number of the {@link ErrorCode} of the refusal
 * @param msg "ok", or the reason of the refusal
 * @param created the ids of the tasks that the report created, in the order of its {@code creates};
 *     {@code null} if it has none or is refused
 */
public record ReportResult(
    String taskId,
    Verdict outcome,
    int code,
    String msg,
    @JsonInclude(JsonInclude.Include.NON_NULL) List<String> created) {

  /** The result of a report that creates no tasks. */
  public ReportResult(String taskId, Verdict outcome, int code, String msg) {
    this(taskId, outcome, code, msg, null);
  }

  /** The server's verdict on a report. */
  public enum Verdict {
    /** It is the one accepted report of its hold, and took effect. */
    ACCEPTED,
    /** It was accepted before. */
    ALREADY_DONE,
    /** It changes nothing. */
    REFUSED;

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Verdict of(String word) {
      return Arrays.stream(values()).filter(v -> v.name().equals(word)).findFirst().orElse(null);
    }
  }

  public static ReportResult accepted(String taskId) {
    return new ReportResult(taskId, Verdict.ACCEPTED, 0, "ok");
  }

  public static ReportResult alreadyDone(String taskId) {
    return new ReportResult(taskId, Verdict.ALREADY_DONE, 0, "ok");
  }

  public static ReportResult refused(String taskId, ErrorCode error, String message) {
    return new ReportResult(taskId, Verdict.REFUSED, error.code(), message);
  }

  /** The same with the ids of the tasks that the report created. */
  public ReportResult withCreated(List<String> taskIds) {
    return new ReportResult(taskId, outcome, code, msg, taskIds);
  }

  /** Whether the report was accepted, now or in an earlier delivery. */
  public boolean stands() {
    return code == 0;
  }
}
