package io.asyncflow.api.schedule;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.asyncflow.api.RecordCopy;

/**
 * A schedule as the API shows it. On the wire the definition's fields stand beside the others.
 *
 * @param scheduleId a decimal number; a schedule that is deleted and saved again has another one
 * @param definition as it was saved, with the defaults for what the save left out
 * @param state whether it fires
 * @param nextFireTime the first fire time that is still to come or to be made, epoch milliseconds
 *     as are the other times; {@code null} if there is none, or if it follows from the end of the
 *     run that lives
 * @param lastFireTime the last fire time that created something by plan; {@code null} before it
 * @param fireCount fires that created something
 * @param failStreak failed runs in a row
 * @param lastError why the last fire created nothing or its run failed, and whether that paused the
 *     schedule; {@code null} if neither
 * @param lateMs how long its next fire has been due, in milliseconds; 0 if it is not due
 * @param slice the slice that it belongs to, 0 to 63
 * @param owner the server that makes its fires; {@code null} while no server does
 * @param epoch the number of changes of the slice's owner
 * @param version rises with every change by a caller: a save that changes it, a pause, a resume.
 *     Fires do not change it. For {@link ScheduleClient#save(NewSchedule, long)}
 * @param pauseUntil when it resumes by itself; {@code null} if it does not
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Schedule(
    String scheduleId,
    @JsonUnwrapped NewSchedule definition,
    ScheduleState state,
    Long nextFireTime,
    Long lastFireTime,
    long fireCount,
    int failStreak,
    String lastError,
    long lateMs,
    int slice,
    String owner,
    long epoch,
    long version,
    Long pauseUntil,
    long createTime,
    long modifyTime) {

  /** This schedule without the contexts and inputs of what its fires create. */
  public Schedule withoutContents() {
    if (definition.taskData() != null) {
      return withDefinition(definition.creating(definition.taskData().withoutContents()));
    }
    return definition.jobData() == null
        ? this
        : withDefinition(definition.creating(definition.jobData().withoutContents()));
  }

  /** This schedule with another definition. */
  public Schedule withDefinition(NewSchedule other) {
    return RecordCopy.with(this, "definition", other);
  }

  /** The unique name of the schedule. */
  public String name() {
    return definition.name();
  }
}
