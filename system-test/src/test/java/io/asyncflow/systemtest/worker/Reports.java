package io.asyncflow.systemtest.worker;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.Task;

/** Reports as a worker without the SDK writes them. */
public final class Reports {

  private Reports() {}

  /**
   * The task is done, whatever its stage.
   *
   * @param reportId {@code null} if it will not be repeated
   */
  public static Report success(Task task, String reportId) {
    return Report.of(task.taskId(), task.workerId(), task.leaseEpoch(), Outcome.SUCCESS)
        .withReportId(reportId)
        .withResult("done");
  }
}
