package io.asyncflow.api.bulk;

/**
 * The calls of flowsvr's contract for acts on all tasks that match a search; see {@link
 * io.asyncflow.api.FlowClient} for the exceptions. Implementations are thread-safe.
 */
public interface BulkClient {

  /** Says what a bulk would do. */
  BulkPreview preview(NewBulk bulk);

  /**
   * Starts what was previewed.
   *
   * @param count of the preview
   * @param operator who does it; may be {@code null}
   * @param reason is required
   * @return the id of the bulk
   */
  String start(String token, long count, String operator, String reason);

  Bulk get(String bulkId);

  /**
   * Bulks that have started, the newest first.
   *
   * @param limit 1 to 1,000; {@code null} for 100
   * @param cursor {@code null} for the first page
   */
  BulkPage list(Integer limit, String cursor);

  /** Stops a bulk after its page; it can be resumed. Stopping a stopped one changes nothing. */
  void stop(String bulkId, String operator, String reason);

  /** Lets a stopped bulk go on where it was. */
  void resume(String bulkId, String operator, String reason);
}
