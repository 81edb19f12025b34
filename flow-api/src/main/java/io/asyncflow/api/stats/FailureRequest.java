package io.asyncflow.api.stats;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Which failures; {@code null} for any.
 *
 * @param from epoch ms; {@code null} for 24 hours before {@code to}
 * @param to epoch ms; {@code null} for now
 * @param limit the most groups in a page, 1 to 1,000; {@code null} for 100
 * @param cursor the last page's {@link FailurePage#nextCursor()}; {@code null} for the first page
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FailureRequest(
    String taskType,
    String taskStage,
    String verdict,
    Long from,
    Long to,
    Integer limit,
    String cursor) {

  /** Those of the last 24 hours. */
  public static final FailureRequest LAST_DAY =
      new FailureRequest(null, null, null, null, null, null, null);

  /** Those of a type in the last 24 hours. */
  public static FailureRequest ofType(String taskType) {
    return new FailureRequest(taskType, null, null, null, null, null, null);
  }
}
