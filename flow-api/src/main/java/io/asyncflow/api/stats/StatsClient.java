package io.asyncflow.api.stats;

import io.asyncflow.api.Answer;
import io.asyncflow.api.Call;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.Transport;

/**
 * The calls of flowsvr's contract about numbers; see {@link FlowClient} for the exceptions. A
 * server on which too many read numbers answers 8080. Thread-safe.
 */
public final class StatsClient {

  private static final Answer<Overview> OVERVIEW = Answer.of(Overview.class);
  private static final Answer<StageList> STAGES = Answer.of(StageList.class);
  private static final Answer<Series> SERIES = Answer.of(Series.class);
  private static final Answer<FailurePage> FAILURES = Answer.of(FailurePage.class);
  private static final Answer<Meta> META = Answer.of(Meta.class);

  private final Transport transport;

  /**
   * @param transport sends the calls
   */
  public StatsClient(Transport transport) {
    this.transport = transport;
  }

  /** All types, as they were up to some seconds ago. */
  public Overview overview() {
    return transport.send(Call.to("/api/stats/overview", OVERVIEW));
  }

  /** The stages of a type. */
  public StageList stages(String taskType) {
    return transport.send(Call.to("/api/stats/stages", STAGES).with("taskType", taskType));
  }

  /** Numbers over time. */
  public Series series(SeriesRequest request) {
    return transport.send(Call.to("/api/stats/series", SERIES).withBody(request));
  }

  /** Failures that are alike, the latest first. */
  public FailurePage failures(FailureRequest request) {
    return transport.send(Call.to("/api/stats/failures", FAILURES).withBody(request));
  }

  /** The server that answered. */
  public Meta meta() {
    return transport.send(Call.to("/api/meta", META));
  }
}
