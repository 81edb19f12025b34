package io.asyncflow.console.page.task;

import io.asyncflow.api.Task;
import io.asyncflow.api.find.HistoryEntry;
import io.asyncflow.console.json.JsonTree;
import io.asyncflow.console.page.Act;
import java.util.List;

/** What the templates of tasks show. */
public final class TaskViews {

  private TaskViews() {}

  /**
   * @param why {@code null} if it cannot be told at the moment
   * @param past {@code null} if it cannot be told at the moment
   * @param files {@code null} if the store does not answer
   * @param contents {@code null} if the operator may not read context, result and log
   * @param done what operators did to it, newest first
   * @param curl calls of the API to copy
   */
  public record Shown(
      Task task,
      List<Act> acts,
      WhyView why,
      Past past,
      List<StoredFile> files,
      Contents contents,
      List<DoneAct> done,
      List<String> curl) {}

  /**
   * What happened to a task.
   *
   * @param hasGaps whether earlier holds are not known any more
   */
  public record Past(Timeline timeline, List<HistoryEntry> entries, boolean hasGaps) {}

  /**
   * What a task was given and left behind.
   *
   * @param toEdit the context where a copy may have another one; {@code null} where it may not
   */
  public record Contents(JsonTree context, JsonTree result, JsonTree log, String toEdit) {}

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

  /**
   * A task that is not there.
   *
   * @param said why, as the server says it
   * @param table of its id; empty if it is no id
   * @param tables those of its type that there are; empty if they are not known
   * @param retentionDays for which drained tables are kept; {@code null} if it is not known
   * @param done what operators did to it, which outlives it
   */
  public record Gone(
      String id,
      String said,
      String type,
      String table,
      List<String> tables,
      Integer retentionDays,
      List<DoneAct> done) {}

  /** A child of a job that is no task yet. */
  public record Child(String jobId, int index, WhyView why) {}
}
