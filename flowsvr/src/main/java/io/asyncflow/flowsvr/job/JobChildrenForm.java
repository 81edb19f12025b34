package io.asyncflow.flowsvr.job;

import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobChildren;
import io.asyncflow.flowsvr.job.core.JobCreator;
import io.asyncflow.flowsvr.job.core.JobLimits;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.field.TaskFields;
import io.asyncflow.rules.field.TaskLimits;
import java.util.List;
import java.util.Set;

/** Reads children. */
final class JobChildrenForm {

  private static final Set<String> FIELDS =
      Set.of(
          "taskStage",
          "taskContext",
          "priority",
          "workerIds",
          "context"); // refused with its right name

  private JobChildrenForm() {}

  /** The page; usable only if {@code in} has no errors afterwards. */
  static JobChildren read(Fields in) {
    TaskId id = TaskFields.writtenTask(in);
    Integer first = in.number("first").required().between(0, JobLimits.CHILDREN).asInteger();
    List<JobChild> children = children(in, TaskLimits.BATCH, false);
    if (first != null && first + children.size() > JobLimits.CHILDREN) {
      in.refuse("children", "must be at most " + JobLimits.CHILDREN + " of one job");
    }
    return new JobChildren(
        id == null ? null : id.toString(),
        in.text("workerId").name().max(TaskLimits.WORKER_ID).or(""),
        in.number("leaseEpoch").required().between(0, Integer.MAX_VALUE).asInteger(),
        first,
        children);
  }

  /**
   * Reads the {@code children}.
   *
   * @param isStrict whether unknown fields of a child are errors
   */
  static List<JobChild> children(Fields in, int most, boolean isStrict) {
    return in.objects("children", 1, most).stream().map(child -> child(child, isStrict)).toList();
  }

  private static JobChild child(Fields in, boolean isStrict) {
    if (isStrict) {
      in.refuseUnknown(FIELDS);
    }
    return new JobChild(stage(in), context(in), TaskFields.priority(in), workers(in));
  }

  /** Reads the {@code taskStage} of a child. */
  static String stage(Fields in) {
    String stage = in.text("taskStage").required().name().max(TaskLimits.STAGE).or("");
    if (stage.equals(JobCreator.SPLIT_STAGE) || stage.equals(JobCreator.MERGE_STAGE)) {
      in.refuse("taskStage", "must not be split or merge, which are stages of the job itself");
    }
    return stage;
  }

  /** Reads the {@code taskContext} of a child. */
  static String context(Fields in) {
    in.refuseMisnomer("context", "taskContext");
    return in.text("taskContext").maxBytes(TaskLimits.CONTEXT_BYTES).or("");
  }

  private static List<String> workers(Fields in) {
    Set<String> workers = TaskFields.workerIds(in);
    return workers.isEmpty() ? null : List.copyOf(workers);
  }
}
