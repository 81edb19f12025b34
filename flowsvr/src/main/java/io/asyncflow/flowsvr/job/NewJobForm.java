package io.asyncflow.flowsvr.job;

import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.Team;
import io.asyncflow.flowsvr.job.core.JobLimits;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.TaskFields;
import io.asyncflow.rules.field.TaskLimits;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the job of a create request. */
public final class NewJobForm {

  private static final Set<String> FIELDS =
      Set.of(
          "userId",
          "jobType",
          "jobInput",
          "priority",
          "idempotencyKey",
          "failurePolicy",
          "childType",
          "window",
          "team",
          "children",
          "merge");

  private static final String TYPE_RULE = "is no name that a type can have";

  private NewJobForm() {}

  /** The job with defaults applied; usable only if {@code in} has no errors afterwards. */
  public static NewJob read(Fields in) {
    return read(in, false);
  }

  /** The same, but unknown fields are errors, also those of the team and of the children. */
  public static NewJob readStrictly(Fields in) {
    in.refuseUnknown(FIELDS);
    return read(in, true);
  }

  private static NewJob read(Fields in, boolean isStrict) {
    TaskType jobType = in.text("jobType").required().as(TaskType::parse, TYPE_RULE);
    TaskType childType =
        in.has("childType") ? in.text("childType").as(TaskType::parse, TYPE_RULE) : jobType;
    TaskFields.refuseReserved(in, "jobType", jobType);
    if (in.has("childType")) {
      TaskFields.refuseReserved(in, "childType", childType);
    }
    FailurePolicy policy =
        in.has("failurePolicy")
            ? in.text("failurePolicy").as(NewJobForm::policy, "must be FINISH or FAIL_FAST")
            : FailurePolicy.FINISH;
    Team team = in.has("team") ? TeamForm.read(in.object("team"), isStrict) : null;
    List<JobChild> children =
        in.has("children")
            ? JobChildrenForm.children(in, JobLimits.CHILDREN_AT_ONCE, isStrict)
            : null;
    if (team != null && children != null) {
      in.refuse("children", "must not be given with team, whose copies are the children");
    }
    Boolean merge = in.flag("merge");
    boolean hasSplit = team == null && children == null;
    return new NewJob(
        TaskFields.userId(in),
        jobType == null ? null : jobType.name(),
        in.text("jobInput").maxBytes(JobLimits.INPUT_BYTES).or(""),
        in.number("priority").between(0, TaskLimits.PRIORITY).or(0),
        key(in),
        policy,
        childType == null ? null : childType.name(),
        in.number("window").between(1, JobLimits.WINDOW).asInteger(),
        team,
        children,
        merge == null ? hasSplit : merge);
  }

  private static Optional<FailurePolicy> policy(String text) {
    return Arrays.stream(FailurePolicy.values()).filter(p -> p.name().equals(text)).findFirst();
  }

  /** Refuses an empty key: its sender would wrongly expect protection against duplicates. */
  private static String key(Fields in) {
    return TaskFields.idempotencyKey(in);
  }
}
