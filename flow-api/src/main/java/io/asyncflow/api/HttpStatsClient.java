package io.asyncflow.api;

import io.asyncflow.api.stats.FailurePage;
import io.asyncflow.api.stats.FailureRequest;
import io.asyncflow.api.stats.Meta;
import io.asyncflow.api.stats.Overview;
import io.asyncflow.api.stats.Series;
import io.asyncflow.api.stats.SeriesRequest;
import io.asyncflow.api.stats.StageList;
import io.asyncflow.api.stats.StatsClient;
import java.util.Map;

/** The calls about numbers, over HTTP. */
final class HttpStatsClient implements StatsClient {

  private static final Answer<Overview> OVERVIEW = Answer.of(Overview.class);
  private static final Answer<StageList> STAGES = Answer.of(StageList.class);
  private static final Answer<Series> SERIES = Answer.of(Series.class);
  private static final Answer<FailurePage> FAILURES = Answer.of(FailurePage.class);
  private static final Answer<Meta> META = Answer.of(Meta.class);

  private final HttpTransport http;

  HttpStatsClient(HttpTransport http) {
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
