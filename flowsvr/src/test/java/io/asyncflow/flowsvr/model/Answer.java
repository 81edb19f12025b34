package io.asyncflow.flowsvr.model;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.util.List;

/** What a driver says to a command, comparable between drivers. */
sealed interface Answer {

  record Done() implements Answer {}

  /**
   * @param code of the contract's error table
   * @param why of an operator's act, in words without the task's id; {@code null} of any other call
   */
  record Refused(int code, String why) implements Answer {}

  /** No answer of the contract at all: a crash, a hang, a page of HTML. */
  record Broken(String why) implements Answer {}

  /**
   * @param tasks labels, with the number of the table and what was done
   */
  record Created(List<String> tasks) implements Answer {}

  record Held(List<TaskView> tasks) implements Answer {}

  record Beaten(List<Lease> leases) implements Answer {}

  record Lease(String task, int epoch, String state, long leaseMs) {}

  /**
   * @param outcomes {@code ACCEPTED}, {@code ALREADY_DONE} or the code it was refused with, and the
   *     labels of the tasks that it created
   */
  record Reported(List<String> outcomes) implements Answer {}

  /**
   * @param workers that may hold the task, sorted; empty for all
   */
  record Found(TaskView task, List<String> workers) implements Answer {}

  record Listed(List<TaskView> tasks) implements Answer {}

  static Answer refused(ErrorCode error) {
    return refused(error.code());
  }

  static Answer refused(int code) {
    return new Refused(code, null);
  }

  /** The refusal of an operator's act. */
  static Answer refusedAct(FlowException e) {
    String message = e.getMessage();
    return new Refused(e.errorCode().code(), message.substring(message.indexOf(": ") + 2));
  }
}
