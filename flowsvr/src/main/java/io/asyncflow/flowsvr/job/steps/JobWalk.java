package io.asyncflow.flowsvr.job.steps;

import io.asyncflow.flowsvr.job.core.JobStore;
import io.asyncflow.flowsvr.job.core.JobStore.Unfinished;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Goes through the jobs that have not ended, again and again, in bounded parts. No index tells
 * which of them need something, and most of many wait for their children.
 *
 * <p>Not thread-safe.
 */
final class JobWalk {

  /** A server that works on a job changes its row more often than this. */
  private static final Duration UNCHANGED_FOR = Duration.ofSeconds(2);

  private static final int PAGE = 5_000;

  /** The most pages of a part: to read them takes some tenths of a second. */
  private static final int MAX_PAGES = 10;

  private final JobStore jobs;
  private Unfinished last;

  JobWalk(JobStore jobs) {
    this.jobs = jobs;
  }

  /**
   * The ids of the wanted jobs in the next part, which ends with so many, with its last page or
   * with the last job; then the walk begins again.
   */
  List<Long> next(Predicate<Unfinished> isWanted, int limit) {
    List<Long> wanted = new ArrayList<>();
    for (int i = 0; i < MAX_PAGES; i++) {
      List<Unfinished> page = jobs.unfinished(last, UNCHANGED_FOR, PAGE);
      for (Unfinished job : page) {
        last = job;
        if (isWanted.test(job)) {
          wanted.add(job.id());
          if (wanted.size() == limit) {
            return wanted;
          }
        }
      }
      if (page.size() < PAGE) {
        last = null;
        break;
      }
    }
    return wanted;
  }
}
