package io.asyncflow.flowsvr.edge.act;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.rules.TaskId;

/**
 * An act, as far as it is known to the code that does it. {@link Acts} adds the actor.
 *
 * @param kind such as {@code PAUSE}
 * @param object such as {@code schedule:249835547751612417}
 * @param task {@code null} unless the object is a task, as with the statuses
 * @param copy the task that the act made of this one; {@code null} for none
 * @param detail what changed, recorded as JSON without what is secret; {@code null} for nothing
 */
public record Act(
    String kind,
    String object,
    Reason reason,
    TaskId task,
    TaskStatus before,
    TaskStatus after,
    TaskId copy,
    Object detail) {

  public static Act of(String kind, String object) {
    return new Act(kind, object, Reason.NONE, null, null, null, null, null);
  }

  public static Act onTask(String kind, TaskId id, TaskStatus before, TaskStatus after) {
    return new Act(kind, objectOf(id), Reason.NONE, id, before, after, null, null);
  }

  /** The object of acts on a task. */
  public static String objectOf(TaskId id) {
    return "task:" + id;
  }

  public Act by(Reason value) {
    return new Act(kind, object, value, task, before, after, copy, detail);
  }

  public Act making(TaskId value) {
    return new Act(kind, object, reason, task, before, after, value, detail);
  }

  public Act with(Object value) {
    return new Act(kind, object, reason, task, before, after, copy, value);
  }
}
