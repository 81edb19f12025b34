package io.asyncflow.api.stats;

import io.asyncflow.api.Call;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.Transport;

/**
 * The calls of flowsvr's contract about numbers; see {@link FlowClient} for the exceptions. A
 * server on which too many read numbers answers 8080. Thread-safe.
 *
 * @param transport sends the calls
 */
public record StatsClient(Transport transport) {

  /** All types, as they were up to some seconds ago. */
  public Overview overview() {
    return transport.send(Call.to("/api/stats/overview", Overview.class));
  }

  /** The stages of a type. */
  public StageList stages(String taskType) {
    return transport.send(Call.to("/api/stats/stages", StageList.class).with("taskType", taskType));
  }

  /** Numbers over time. */
  public Series series(SeriesRequest request) {
    return transport.send(Call.to("/api/stats/series", Series.class).withBody(request));
  }

  /** Failures that are alike, the latest first. */
  public FailurePage failures(FailureRequest request) {
    return transport.send(Call.to("/api/stats/failures", FailurePage.class).withBody(request));
  }

  /** The server that answered. */
  public Meta meta() {
    return transport.send(Call.to("/api/meta", Meta.class));
  }
}
