package io.asyncflow.rules.field;

import static io.asyncflow.rules.field.TextField.named;

import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.Team;
import io.asyncflow.rules.TaskType;
import java.util.List;
import java.util.Set;

/** The fields of a job to be created, and of calls about jobs. */
public final class JobFields {

  private static final Set<String> FIELDS = FieldSource.namesOf(NewJob.class);

  private static final String TYPE_RULE = "is no name that a type can have";

  private JobFields() {}

  /** The job with defaults applied; usable only if {@code in} has no errors afterwards. */
  public static NewJob read(FieldSource in) {
    return read(in, false);
  }

  /** The same, but unknown fields are errors, also those of the team and of the children. */
  public static NewJob readStrictly(FieldSource in) {
    in.refuseUnknown(FIELDS);
    return read(in, true);
  }

  private static NewJob read(FieldSource in, boolean isStrict) {
    TaskType jobType = in.text("jobType").required().as(TaskType::parse, TYPE_RULE);
    TaskType childType =
        in.has("childType") ? in.text("childType").as(TaskType::parse, TYPE_RULE) : jobType;
    TaskFields.refuseReserved(in, "jobType", jobType);
    if (in.has("childType")) {
      TaskFields.refuseReserved(in, "childType", childType);
    }
    FailurePolicy policy =
        in.has("failurePolicy")
            ? in.text("failurePolicy").choice(FailurePolicy.values(), "must be FINISH or FAIL_FAST")
            : FailurePolicy.FINISH;
    Team team = in.has("team") ? TeamFields.read(in.object("team"), isStrict) : null;
    List<JobChild> children =
        in.has("children")
            ? JobChildFields.children(in, JobLimits.CHILDREN_AT_ONCE, isStrict)
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
        TaskFields.idempotencyKey(in),
        policy,
        childType == null ? null : childType.name(),
        in.number("window").between(1, JobLimits.WINDOW).asInteger(),
        team,
        children,
        merge == null ? hasSplit : merge);
  }

  /** The number of a job; {@code null} if it is invalid. */
  public static Long jobId(FieldSource in) {
    return in.text("jobId").required().as(PageFields::number, "is no job id");
  }

  /**
   * Which jobs are listed.
   *
   * @param userId {@code null} for all
   * @param type {@code null} for all
   * @param before only jobs with lower numbers
   * @param states empty for all
   */
  public record Listed(String userId, TaskType type, int limit, long before, Set<JobState> states) {

    /** Whether it takes every job of its user. */
    public boolean takesAll() {
      return type == null && states.isEmpty();
    }

    /** Whether it takes this job of its user. */
    public boolean takes(String jobType, JobState state) {
      return (type == null || type.name().equals(jobType))
          && (states.isEmpty() || states.contains(state));
    }
  }

  /** Reads the fields of a list. */
  public static Listed listed(FieldSource in) {
    return new Listed(
        in.text("userId").name().max(TaskLimits.USER_ID).value(),
        in.text("jobType").as(TaskType::parse, TYPE_RULE),
        PageFields.limit(in),
        PageFields.before(in),
        states(in));
  }

  private static Set<JobState> states(FieldSource in) {
    Set<JobState> states =
        in.text("state")
            .as(
                text -> PageFields.choices(text, name -> named(JobState.values(), name)),
                "must be states of a job");
    return states == null ? Set.of() : states;
  }
}
