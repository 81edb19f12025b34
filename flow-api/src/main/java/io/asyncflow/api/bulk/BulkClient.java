package io.asyncflow.api.bulk;

import io.asyncflow.api.Answer;
import io.asyncflow.api.Call;
import io.asyncflow.api.Transport;

/**
 * The calls of flowsvr's contract for acts on all tasks that match a search; see {@link
 * io.asyncflow.api.FlowClient} for the exceptions. Thread-safe.
 *
 * @param transport sends the calls
 */
public record BulkClient(Transport transport) {

  private static final Answer<String> STARTED = Answer.of(Started.class, Started::bulkId);

  private record Started(String bulkId) {}

  /** Says what a bulk would do. */
  public BulkPreview preview(NewBulk bulk) {
    return transport.send(Call.to("/api/bulk/preview", BulkPreview.class).withBody(bulk));
  }

  /**
   * Starts what was previewed.
   *
   * @param count of the preview
   * @param operator who does it; may be {@code null}
   * @param reason is required
   * @return the id of the bulk
   */
  public String start(String token, long count, String operator, String reason) {
    return transport.send(
        Call.to("/api/bulk/start", STARTED)
            .with("token", token)
            .with("count", count)
            .by(operator, reason));
  }

  public Bulk get(String bulkId) {
    return transport.send(Call.to("/api/bulk/get", Bulk.class).with("bulkId", bulkId));
  }

  /**
   * Bulks that have started, the newest first.
   *
   * @param limit 1 to 1,000; {@code null} for 100
   * @param cursor {@code null} for the first page
   */
  public BulkPage list(Integer limit, String cursor) {
    return transport.send(
        Call.to("/api/bulk/list", BulkPage.class).with("limit", limit).with("cursor", cursor));
  }

  /** Stops a bulk after its page; it can be resumed. Stopping a stopped one changes nothing. */
  public void stop(String bulkId, String operator, String reason) {
    transport.send(Call.to("/api/bulk/stop").with("bulkId", bulkId).by(operator, reason));
  }

  /** Lets a stopped bulk go on where it was. */
  public void resume(String bulkId, String operator, String reason) {
    transport.send(Call.to("/api/bulk/resume").with("bulkId", bulkId).by(operator, reason));
  }
}
