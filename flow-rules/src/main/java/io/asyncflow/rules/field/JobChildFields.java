package io.asyncflow.rules.field;

import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobChildren;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.TaskId;
import java.util.List;
import java.util.Set;

/** Reads children. */
public final class JobChildFields {

  private static final Set<String> FIELDS =
      FieldSource.namesOf(JobChild.class, "context"); // refused with its right name

  private JobChildFields() {}

  /** The page; usable only if {@code in} has no errors afterwards. */
  public static JobChildren read(FieldSource in) {
    TaskId id = TaskFields.writtenTask(in);
    Integer first = in.number("first").required().between(0, JobLimits.CHILDREN).asInteger();
    List<JobChild> children = children(in, TaskLimits.BATCH, false);
    if (first != null && first + children.size() > JobLimits.CHILDREN) {
      in.refuse("children", "must be at most " + JobLimits.CHILDREN + " of one job");
    }
    return new JobChildren(
        id == null ? null : id.toString(),
        in.text("workerId").name().max(TaskLimits.WORKER_ID).or(""),
        TaskFields.leaseEpoch(in),
        first,
        children);
  }

  /**
   * Reads the {@code children}.
   *
   * @param isStrict whether unknown fields of a child are errors
   */
  static List<JobChild> children(FieldSource in, int most, boolean isStrict) {
    return in.objects("children", 1, most).stream().map(child -> child(child, isStrict)).toList();
  }

  private static JobChild child(FieldSource in, boolean isStrict) {
    if (isStrict) {
      in.refuseUnknown(FIELDS);
    }
    return new JobChild(stage(in), context(in), TaskFields.priority(in), workers(in));
  }

  /** Reads the {@code taskStage} of a child. */
  static String stage(FieldSource in) {
    String stage = in.text("taskStage").required().name().max(TaskLimits.STAGE).or("");
    if (stage.equals(JobPlace.SPLIT_STAGE) || stage.equals(JobPlace.MERGE_STAGE)) {
      in.refuse("taskStage", "must not be split or merge, which are stages of the job itself");
    }
    return stage;
  }

  /** Reads the {@code taskContext} of a child. */
  static String context(FieldSource in) {
    in.refuseMisnomer("context", "taskContext");
    return in.text("taskContext").maxBytes(TaskLimits.CONTEXT_BYTES).or("");
  }

  private static List<String> workers(FieldSource in) {
    Set<String> workers = TaskFields.workerIds(in);
    return workers.isEmpty() ? null : List.copyOf(workers);
  }
}
