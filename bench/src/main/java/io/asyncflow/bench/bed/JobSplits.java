package io.asyncflow.bench.bed;

import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobChildren;
import io.asyncflow.api.JobClient;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.Task;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Splits and merges jobs as a worker does.
 *
 * @param jobType of the jobs; nobody else works on it
 */
public record JobSplits(FlowBed bed, String jobType, String childType) {

  private static final int PAGE = 1_000;
  private static final int LONG_POLL_MS = 10_000;
  private static final String WORKER = "bench";

  /** Creates a job, splits it into children of these numbers, and returns its id. */
  public String split(int from, int to) {
    JobClient client = bed.flow().jobs();
    String id = client.createJob(NewJob.of(jobType, WORKER, "").withChildType(childType));
    Task split = hold("split");
    for (int first = from; first < to; first += PAGE) {
      List<JobChild> page =
          IntStream.range(first, Math.min(first + PAGE, to))
              .mapToObj(number -> new JobChild(Workload.STAGE, Workload.context(number), null))
              .toList();
      client.addJobChildren(
          new JobChildren(split.taskId(), WORKER, split.leaseEpoch(), first - from, page));
    }
    report(split);
    return id;
  }

  /** Merges one of the jobs whose children have ended. */
  public void merge() {
    report(hold("merge"));
  }

  private Task hold(String stage) {
    List<Task> held =
        bed.flow()
            .holdTasks(new HoldRequest(jobType, 1, WORKER, LONG_POLL_MS, null, List.of(stage)));
    if (held.isEmpty()) {
      throw new IllegalStateException("no " + stage + " of a job became due");
    }
    return held.get(0);
  }

  private void report(Task task) {
    if (!bed.flow().report(List.of(Workload.success(task))).get(0).stands()) {
      throw new IllegalStateException("the report of " + task.taskId() + " was refused");
    }
  }
}
