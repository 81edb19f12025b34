package io.asyncflow.bench.work;

import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobChildren;
import io.asyncflow.api.JobClient;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.Task;
import io.asyncflow.bench.bed.TestBed;
import io.asyncflow.bench.bed.Workload;
import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.system.FlowPollers;
import io.asyncflow.bench.system.TaskSystem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The children of one job, or of many, run by many pollers: from the start of the first child until
 * none is left to do. Each end changes its job's row, so that of one job is as hot as can be.
 *
 * <p>The splits come before, the merges after the clock; each job must end in success.
 */
public final class JobRuns implements Contender<Duration> {

  public static final int POLLERS = 16;
  private static final int PAGE = 1_000;
  private static final int LONG_POLL_MS = 10_000;
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String WORKER = "bench";

  private final TestBed bed;
  private final int jobs;
  private final String jobType;
  private final String childType;
  private final FlowPollers pollers;

  /**
   * @param jobs that share the children
   */
  public JobRuns(TestBed bed, String type, int jobs) {
    this.bed = bed;
    this.jobs = jobs;
    this.jobType = type;
    this.childType = type + "_child";
    this.pollers = new FlowPollers(bed, childType, POLLERS);
    bed.addType(Workload.type(jobType, 1));
  }

  @Override
  public String name() {
    return jobs + (jobs == 1 ? " job" : " jobs");
  }

  @Override
  public String conditions() {
    return "children held and reported by " + pollers.name() + ", 100 at a time";
  }

  @Override
  public Duration run(int children) throws Exception {
    SystemContender.expectUnfinished(pollers, 0);
    int count = Math.min(jobs, children);
    List<String> ids = new ArrayList<>(count);
    for (int job = 0; job < count; job++) {
      ids.add(split(range(job, count, children), range(job + 1, count, children)));
    }
    awaitReleased(children);
    Starts starts = new Starts(0, children);
    Duration took;
    try (TaskSystem.Runner runner = pollers.run(starts)) {
      starts.awaitDone(pollers, runner);
      took = Duration.ofNanos(System.nanoTime() - starts.firstNanos());
    }
    for (int job = 0; job < count; job++) {
      report(hold("merge"));
    }
    for (String id : ids) {
      JobState state = bed.flow().jobs().getJob(id).state();
      if (state != JobState.SUCCESS) {
        throw new IllegalStateException("job " + id + " ended as " + state);
      }
    }
    return took;
  }

  /** Where the children of a job begin, if all jobs have about as many. */
  private static int range(int job, int jobs, int children) {
    return (int) ((long) job * children / jobs);
  }

  /** Creates a job and splits it into children of these numbers. */
  private String split(int from, int to) {
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

  private void awaitReleased(int children) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (pollers.unfinished() < children) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("the children of " + name() + " did not become tasks");
      }
      Thread.sleep(20);
    }
  }
}
