package io.asyncflow.api;

import com.fasterxml.jackson.databind.ObjectReader;
import io.asyncflow.api.stats.FailurePage;
import io.asyncflow.api.stats.FailureRequest;
import io.asyncflow.api.stats.Meta;
import io.asyncflow.api.stats.Overview;
import io.asyncflow.api.stats.Series;
import io.asyncflow.api.stats.SeriesRequest;
import io.asyncflow.api.stats.StageList;
import io.asyncflow.api.stats.StatsClient;
import java.util.Map;

/** The calls about numbers, over the connections of an {@link HttpFlowClient}. */
final class HttpStatsClient implements StatsClient {

  private static final ObjectReader OVERVIEW = HttpFlowClient.envelopeOf(Overview.class);
  private static final ObjectReader STAGES = HttpFlowClient.envelopeOf(StageList.class);
  private static final ObjectReader SERIES = HttpFlowClient.envelopeOf(Series.class);
  private static final ObjectReader FAILURES = HttpFlowClient.envelopeOf(FailurePage.class);
  private static final ObjectReader META = HttpFlowClient.envelopeOf(Meta.class);

  private final HttpFlowClient http;

  HttpStatsClient(HttpFlowClient http) {
    this.http = http;
  }

  @Override
  public Overview overview() {
    return http.post("/api/stats/overview", Map.of(), OVERVIEW);
  }

  @Override
  public StageList stages(String taskType) {
    return http.post("/api/stats/stages", Map.of("taskType", taskType), STAGES);
  }

  @Override
  public Series series(SeriesRequest request) {
    return http.post("/api/stats/series", request, SERIES);
  }

  @Override
  public FailurePage failures(FailureRequest request) {
    return http.post("/api/stats/failures", request, FAILURES);
  }

  @Override
  public Meta meta() {
    return http.post("/api/meta", Map.of(), META);
  }
}
