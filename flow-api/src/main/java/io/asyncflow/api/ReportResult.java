package io.asyncflow.api;

/**
 * What became of one report.
 *
 * @param taskId as the report named it
 * @param outcome {@link #ACCEPTED}, {@link #ALREADY_DONE} or {@link #REFUSED}
 * @param code 0, or the number of the {@link ErrorCode} it was refused with
 * @param msg "ok", or why it was refused
 */
public record ReportResult(String taskId, String outcome, int code, String msg) {

  public static final String ACCEPTED = "ACCEPTED";
  public static final String ALREADY_DONE = "ALREADY_DONE";
  public static final String REFUSED = "REFUSED";

  public static ReportResult accepted(String taskId) {
    return new ReportResult(taskId, ACCEPTED, 0, "ok");
  }

  public static ReportResult alreadyDone(String taskId) {
    return new ReportResult(taskId, ALREADY_DONE, 0, "ok");
  }

  public static ReportResult refused(String taskId, ErrorCode error, String message) {
    return new ReportResult(taskId, REFUSED, error.code(), message);
  }

  /** Whether the report stands, now or since an earlier delivery. */
  public boolean stands() {
    return code == 0;
  }
}
