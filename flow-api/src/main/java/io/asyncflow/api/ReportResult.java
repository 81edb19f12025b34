package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.util.Arrays;

/**
 * What became of one report.
 *
 * @param taskId as the report named it
 * @param outcome {@code null} for a word of a later version; {@link #stands} tells all the same
 * @param code 0, or the number of the {@link ErrorCode} it was refused with
 * @param msg "ok", or why it was refused
 */
public record ReportResult(String taskId, Verdict outcome, int code, String msg) {

  /** What the server thinks of a report. */
  public enum Verdict {
    /** It is the one report of its hold, and is carried out. */
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

  /** Whether the report stands, now or since an earlier delivery. */
  public boolean stands() {
    return code == 0;
  }
}
