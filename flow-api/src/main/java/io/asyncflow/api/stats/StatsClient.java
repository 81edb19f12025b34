package io.asyncflow.api.stats;

import io.asyncflow.api.FlowClient;

/**
 * The calls of flowsvr's contract about numbers; see {@link FlowClient} for the exceptions. A
 * server on which too many read numbers answers 8080. Implementations are thread-safe.
 */
public interface StatsClient {

  /** All types, as they were up to some seconds ago. */
  Overview overview();

  /** The stages of a type. */
  StageList stages(String taskType);

  /** Numbers over time. */
  Series series(SeriesRequest request);

  /** Failures that are alike, the latest first. */
  FailurePage failures(FailureRequest request);

  /** The server that answered. */
  Meta meta();
}
