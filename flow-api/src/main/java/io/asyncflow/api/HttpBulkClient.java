package io.asyncflow.api;

import io.asyncflow.api.bulk.Bulk;
import io.asyncflow.api.bulk.BulkClient;
import io.asyncflow.api.bulk.BulkPage;
import io.asyncflow.api.bulk.BulkPreview;
import io.asyncflow.api.bulk.NewBulk;

/** The calls for bulks, over HTTP. */
final class HttpBulkClient implements BulkClient {

  private static final Answer<BulkPreview> PREVIEW = Answer.of(BulkPreview.class);
  private static final Answer<String> STARTED = Answer.of(Started.class, Started::bulkId);
  private static final Answer<Bulk> BULK = Answer.of(Bulk.class);
  private static final Answer<BulkPage> PAGE = Answer.of(BulkPage.class);

  private final HttpTransport http;

  HttpBulkClient(HttpTransport http) {
    this.http = http;
  }

  private record Start(String token, long count, String operator, String reason) {}

  private record Started(String bulkId) {}

  private record OfBulk(String bulkId) {}

  private record ListBulks(Integer limit, String cursor) {}

  private record ActOn(String bulkId, String operator, String reason) {}

  @Override
  public BulkPreview preview(NewBulk bulk) {
    return http.post("/api/bulk/preview", bulk, PREVIEW);
  }

  @Override
  public String start(String token, long count, String operator, String reason) {
    Start call = new Start(token, count, operator, reason);
    return http.post("/api/bulk/start", call, STARTED);
  }

  @Override
  public Bulk get(String bulkId) {
    return http.post("/api/bulk/get", new OfBulk(bulkId), BULK);
  }

  @Override
  public BulkPage list(Integer limit, String cursor) {
    return http.post("/api/bulk/list", new ListBulks(limit, cursor), PAGE);
  }

  @Override
  public void stop(String bulkId, String operator, String reason) {
    http.post("/api/bulk/stop", new ActOn(bulkId, operator, reason));
  }

  @Override
  public void resume(String bulkId, String operator, String reason) {
    http.post("/api/bulk/resume", new ActOn(bulkId, operator, reason));
  }
}
