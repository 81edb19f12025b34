package io.asyncflow.flowsvr.operator;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.asyncflow.api.act.ListedAct;

/**
 * An act on a task, as {@code getActs} shows it to all who may see the task.
 *
 * @param time epoch ms
 * @param actor whom the server took the caller for
 * @param operator in whose name, as the caller said
 * @param newTaskId the copy that a retry made; {@code null} if it made none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AuditEntry(
    long time,
    String act,
    String taskId,
    String actor,
    String operator,
    String reason,
    Integer statusBefore,
    Integer statusAfter,
    String newTaskId) {

  static AuditEntry of(ListedAct act) {
    return new AuditEntry(
        act.time(),
        act.act(),
        act.taskId(),
        act.actor(),
        act.operator(),
        act.reason(),
        act.statusBefore(),
        act.statusAfter(),
        act.newTaskId());
  }
}
