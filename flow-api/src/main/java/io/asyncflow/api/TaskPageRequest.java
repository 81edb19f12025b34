package io.asyncflow.api;

import java.util.Set;

/**
 * The filter and the page of a list of tasks.
 *
 * @param statuses only tasks in one of these; empty for all
 * @param limit the most tasks in a page, 1 to 1,000; {@code null} for 100
 * @param cursor the last page's {@link TaskPage#nextCursor()}; {@code null} for the first page
 */
public record TaskPageRequest(Set<TaskStatus> statuses, Integer limit, String cursor) {

  public TaskPageRequest {
    statuses = Set.copyOf(statuses);
  }

  /** The first page of the tasks in one of these statuses, or of all tasks if none is given. */
  public static TaskPageRequest of(TaskStatus... statuses) {
    return new TaskPageRequest(Set.of(statuses), null, null);
  }

  public TaskPageRequest withLimit(int tasks) {
    return new TaskPageRequest(statuses, tasks, cursor);
  }

  /**
   * The page that follows the one with this {@code nextCursor}; the first page for {@code null}.
   */
  public TaskPageRequest withCursor(String nextCursor) {
    return new TaskPageRequest(statuses, limit, nextCursor);
  }
}
