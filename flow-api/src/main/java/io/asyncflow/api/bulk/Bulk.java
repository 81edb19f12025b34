package io.asyncflow.api.bulk;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.asyncflow.api.stats.BoundedCount;
import java.util.List;
import java.util.Map;

/**
 * A bulk that has started.
 *
 * @param filter as it was previewed
 * @param count the tasks that the preview has found
 * @param cap it ends after so many acts
 * @param looked at how many tasks it has looked
 * @param done tasks that it has acted on; each is one act of the record
 * @param skipped tasks that have changed since the preview, or that need no act
 * @param refused tasks that do not allow the act
 * @param refusals the first of them
 * @param error why it failed; {@code null} unless it has
 * @param principal in whose name it acts
 * @param startTime epoch milliseconds, as are the other times
 * @param changeTime when the last page ended, or when it was stopped or resumed
 * @param perSecond tasks a second since it started, without the time in which it was stopped;
 *     {@code null} unless it runs
 * @param endsAbout by its last task or by its cap, whichever comes first; {@code null} if that
 *     cannot be said
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Bulk(
    String bulkId,
    BulkState state,
    BulkAct act,
    BulkArguments arguments,
    Map<String, Object> filter,
    BoundedCount count,
    int cap,
    long looked,
    int done,
    int skipped,
    int refused,
    List<Refusal> refusals,
    String error,
    String principal,
    String operator,
    String reason,
    long previewTime,
    Long startTime,
    long changeTime,
    Long endTime,
    Double perSecond,
    Long endsAbout) {

  /** Why a task does not allow the act. */
  public record Refusal(String taskId, int code, String msg) {}
}
