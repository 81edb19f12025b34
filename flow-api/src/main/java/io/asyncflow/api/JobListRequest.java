package io.asyncflow.api;

import java.util.Set;

/**
 * The filter and the page of a list of jobs.
 *
 * @param userId only jobs of this user; {@code null} for all
 * @param jobType only jobs of this type, matched without regard to case; {@code null} for all
 * @param states only jobs in one of these; empty for all
 * @param limit the most jobs in a page, 1 to 1,000; {@code null} for 100
 * @param cursor the last page's {@link JobPage#nextCursor()}; {@code null} for the first page
 */
public record JobListRequest(
    String userId, String jobType, Set<JobState> states, Integer limit, String cursor) {

  public JobListRequest {
    states = Set.copyOf(states);
  }

  /** The first page of all jobs of a user. */
  public static JobListRequest ofUser(String userId) {
    return new JobListRequest(userId, null, Set.of(), null, null);
  }

  /**
   * The page that follows the one with this {@code nextCursor}; the first page for {@code null}.
   */
  public JobListRequest withCursor(String nextCursor) {
    return new JobListRequest(userId, jobType, states, limit, nextCursor);
  }
}
