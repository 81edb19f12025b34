package io.asyncflow.console.page.task;

import io.asyncflow.api.Task;
import io.asyncflow.console.json.JsonTree;
import io.asyncflow.console.page.Act;
import java.util.List;

/** What the template of a task shows. */
public final class TaskViews {

  private TaskViews() {}

  /**
   * @param seesContents whether the operator may read context, result and log
   * @param done what operators did to it, newest first
   */
  public record Shown(
      Task task,
      List<Act> acts,
      boolean seesContents,
      JsonTree context,
      JsonTree result,
      JsonTree log,
      List<DoneAct> done) {}

  /** An act, as {@code task/getActs} answers it. */
  public record DoneAct(
      long time,
      String act,
      String actor,
      String operator,
      String reason,
      Integer statusBefore,
      Integer statusAfter,
      String newTaskId) {}
}
