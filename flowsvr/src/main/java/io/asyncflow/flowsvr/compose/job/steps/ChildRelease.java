package io.asyncflow.flowsvr.compose.job.steps;

import static io.asyncflow.flowsvr.compose.job.steps.MovedException.runUnlessMoved;

import io.asyncflow.api.JobChild;
import io.asyncflow.flowsvr.compose.job.core.JobStore;
import io.asyncflow.flowsvr.compose.job.core.JobTaskStore;
import io.asyncflow.flowsvr.compose.job.core.JobTaskStore.Child;
import io.asyncflow.flowsvr.queue.create.CreateCall;
import io.asyncflow.flowsvr.queue.create.CreateCall.Join;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.TaskId;
import java.util.List;
import java.util.stream.IntStream;
import org.springframework.stereotype.Component;

/** Makes tasks of staged children. */
@Component
class ChildRelease {

  /** A page of this size takes a fraction of the statement and lock time-outs. */
  static final int PAGE = 500;

  private final JobStore jobs;
  private final JobTaskStore jobTasks;
  private final TaskCreator creator;

  ChildRelease(JobStore jobs, JobTaskStore jobTasks, TaskCreator creator) {
    this.jobs = jobs;
    this.jobTasks = jobTasks;
    this.creator = creator;
  }

  /** How many children may be made tasks now: those of a page, as far as the window has room. */
  static int room(JobRow job) {
    return Math.min(PAGE, Math.min(job.room(), job.total() - job.released()));
  }

  /**
   * Makes tasks of the next staged children.
   *
   * @param page their tasks, in the order of the children
   * @param join further work in the transaction, before the job is moved on
   * @return false if a concurrent change of the job has overtaken it, and nothing was done
   */
  boolean release(JobRow job, List<TaskDraft> page, Runnable join) {
    int from = job.released();
    int end = from + page.size();
    List<Integer> indices = IntStream.range(from, end).boxed().toList();
    return create(
        page,
        placesOf(job, indices),
        ids -> {
          jobTasks.setTasks(job.id(), childrenOf(indices, ids));
          join.run();
          MovedException.unless(jobs.release(job.id(), from, end), job.id());
        });
  }

  /** Creates tasks of a job; false if a change has overtaken it, and nothing was done. */
  boolean create(List<TaskDraft> tasks, List<JobPlace> places, Join join) {
    return runUnlessMoved(() -> creator.create(CreateCall.ofJobs(tasks, places).and(join)));
  }

  static TaskDraft taskOf(JobRow job, JobChild child) {
    int priority = child.priority() == null ? job.priority() : child.priority();
    return TaskDraft.of(
            job.childType(), child.taskStage(), job.userId(), child.taskContext(), priority)
        .withTraceParent(job.traceParent());
  }

  static List<JobPlace> placesOf(JobRow job, List<Integer> indices) {
    Integer copies = job.isTeam() ? job.total() : null;
    return indices.stream().map(index -> new JobPlace(job.id(), index, copies)).toList();
  }

  static List<Child> childrenOf(List<Integer> indices, List<TaskId> ids) {
    return IntStream.range(0, ids.size())
        .mapToObj(i -> new Child(indices.get(i), ids.get(i)))
        .toList();
  }
}
