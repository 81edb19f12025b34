package io.asyncflow.flowsvr.compose.job.core;

import io.asyncflow.rules.JobRow;
import java.util.List;

/**
 * Keeps something consistent with the ends of jobs. The transaction that ends them tells all
 * ledgers, behind all changes of jobs, so what they lock comes after these.
 */
public interface JobLedger {

  /** Writes down that these jobs have ended. */
  void ended(List<JobRow> jobs);
}
