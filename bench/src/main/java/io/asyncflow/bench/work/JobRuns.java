package io.asyncflow.bench.work;

import io.asyncflow.api.JobState;
import io.asyncflow.bench.bed.JobSplits;
import io.asyncflow.bench.bed.TestBed;
import io.asyncflow.bench.bed.Workload;
import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.system.FlowPollers;
import io.asyncflow.bench.system.TaskSystem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The children of one job, or of many, run by many pollers: from the start of the first child until
 * none is left to do. Each end changes its job's row, so that of one job is as hot as can be.
 *
 * <p>The splits come before, the merges after the clock; each job must end in success.
 */
public final class JobRuns implements Contender<Duration> {

  public static final int POLLERS = 16;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final TestBed bed;
  private final int jobs;
  private final FlowPollers pollers;
  private final JobSplits splits;

  /**
   * @param jobs that share the children
   */
  public JobRuns(TestBed bed, String type, int jobs) {
    this.bed = bed;
    this.jobs = jobs;
    String childType = type + "_child";
    this.pollers = new FlowPollers(bed, childType, POLLERS);
    bed.addType(Workload.type(type, 1));
    this.splits = new JobSplits(bed, type, childType);
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
      ids.add(splits.split(range(job, count, children), range(job + 1, count, children)));
    }
    awaitReleased(children);
    Starts starts = new Starts(0, children);
    Duration took;
    try (TaskSystem.Runner runner = pollers.run(starts)) {
      starts.awaitDone(pollers, runner);
      took = Duration.ofNanos(System.nanoTime() - starts.firstNanos());
    }
    for (int job = 0; job < count; job++) {
      splits.merge();
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
