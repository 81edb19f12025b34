package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.util.Arrays;

/**
 * The server's result for one report.
 *
 * @param taskId as the report named it
 * @param outcome {@code null} for a verdict that this version does not know; {@link #stands} holds
 *     all the same
 * @param code 0, or the number of the {@link ErrorCode} of the refusal
 * @param msg "ok", or the reason of the refusal
 */
public record ReportResult(String taskId, Verdict outcome, int code, String msg) {

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

  /** Whether the report was accepted, now or in an earlier delivery. */
  public boolean stands() {
    return code == 0;
  }
}
