package io.asyncflow.flowsvr.task.type;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.rules.SealRule;
import io.asyncflow.rules.TaskType;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * Refuses texts that break the setting {@code sealed} of their type: plain ones where they must be
 * sealed, and sealed ones where they must not. Thread-safe.
 */
@Component
public class SealedTexts {

  private final TaskTypes types;

  SealedTexts(TaskTypes types) {
    this.types = types;
  }

  /**
   * Checks a text that a row of this type shall get.
   *
   * @param field what the client calls the text
   * @throws FlowException with {@link ErrorCode#SEALING_RULE} if the type does not take it
   * @throws NoSuchTaskTypeException if the type is not configured
   */
  public void check(TaskType type, String text, String field) {
    types.require(type).sealRule().check(type.name(), text, field);
  }

  /**
   * Checks the texts of a valid job.
   *
   * @param path what the client calls the job
   */
  public void check(NewJob job, String path) {
    TaskType childType = TaskType.parse(job.childType()).orElseThrow();
    check(TaskType.parse(job.jobType()).orElseThrow(), job.jobInput(), path + ".jobInput");
    if (job.team() != null) {
      check(childType, job.team().taskContext(), path + ".team.taskContext");
    }
    if (job.children() != null) {
      check(childType, job.children(), path + ".children");
    }
  }

  /**
   * Checks the texts of what a schedule creates.
   *
   * @param path what the client calls the schedule
   */
  public void check(NewSchedule schedule, String path) {
    if (schedule.jobData() != null) {
      check(schedule.jobData(), path + ".jobData");
    } else {
      TaskType type = TaskType.parse(schedule.taskData().taskType()).orElseThrow();
      check(type, schedule.taskData().taskContext(), path + ".taskData.taskContext");
    }
  }

  /**
   * Checks the contexts of children.
   *
   * @param path what the client calls their list
   */
  public void check(TaskType childType, List<JobChild> children, String path) {
    SealRule rule = types.require(childType).sealRule();
    for (int i = 0; i < children.size(); i++) {
      rule.check(childType.name(), children.get(i).taskContext(), path + "[" + i + "].taskContext");
    }
  }
}
