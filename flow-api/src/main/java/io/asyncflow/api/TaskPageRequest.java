package io.asyncflow.api;

import java.util.Set;

/**
 * Which tasks a list is to show, and which page of it.
 *
 * @param statuses only tasks in one of these; empty for all
 * @param limit at most so many tasks, 1 to 1,000; {@code null} for 100
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

  /** The page that begins where another one ended; with {@code null} the first. */
  public TaskPageRequest withCursor(String nextCursor) {
    return new TaskPageRequest(statuses, limit, nextCursor);
  }
}
