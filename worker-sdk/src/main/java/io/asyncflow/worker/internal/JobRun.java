package io.asyncflow.worker.internal;

import io.asyncflow.api.JobClient;
import io.asyncflow.worker.StageContext;

/** A run as the splitting and the merging of a job need it. */
interface JobRun extends StageContext {

  /** Who holds the task. */
  String workerId();

  JobClient jobs();
}
