package io.asyncflow.flowsvr.schedule.fire;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toMap;

import io.asyncflow.flowsvr.job.core.JobEnded;
import io.asyncflow.flowsvr.job.core.JobRow;
import io.asyncflow.flowsvr.job.core.JobStore;
import io.asyncflow.flowsvr.schedule.core.FireRow;
import io.asyncflow.flowsvr.schedule.core.FireStore;
import io.asyncflow.flowsvr.schedule.core.FireStore.End;
import io.asyncflow.flowsvr.schedule.core.Run;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore.Move;
import io.asyncflow.flowsvr.schedule.slice.SchedulesInUse;
import io.asyncflow.flowsvr.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.rules.FireId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Records ends of runs that the transaction of the end did not record: those of jobs, after their
 * commit. A kill in between leaves a fire without its end, which the audit of schedules finds.
 * Thread-safe.
 */
@Component
public class LateEnds {

  private static final Logger log = LoggerFactory.getLogger(LateEnds.class);

  private final JobStore jobs;
  private final ScheduleStore schedules;
  private final LastRuns lastRuns;
  private final FireStore fires;
  private final RunEnds ends;
  private final SchedulesInUse inUse;
  private final RetryingTransactions transactions;
  private final Set<Long> pending = ConcurrentHashMap.newKeySet();
  private final BackgroundLoop loop =
      new BackgroundLoop("schedule-job-ends", Duration.ofHours(1), this::recordPending);

  LateEnds(
      JobStore jobs,
      ScheduleStore schedules,
      LastRuns lastRuns,
      FireStore fires,
      RunEnds ends,
      SchedulesInUse inUse,
      RetryingTransactions transactions) {
    this.jobs = jobs;
    this.schedules = schedules;
    this.lastRuns = lastRuns;
    this.fires = fires;
    this.ends = ends;
    this.inUse = inUse;
    this.transactions = transactions;
  }

  @Bean
  BackgroundLoop lateEndsLoop() {
    return loop;
  }

  /** Before listeners that read the database and may fail. */
  @EventListener
  @Order(Ordered.HIGHEST_PRECEDENCE)
  public void on(JobEnded end) {
    pending.add(end.jobId());
    loop.runSoon();
  }

  /** Records the ends of these jobs at their fires; ignores jobs that live and those of no fire. */
  private void recordPending() {
    Set<Long> ids = Set.copyOf(pending);
    pending.removeAll(ids); // before the read, which then finds what later news of them tell
    try {
      if (!ids.isEmpty() && inUse.inUse()) {
        recordEnds(ended(ids));
      }
    } catch (RuntimeException e) {
      log.info("ends of {} jobs were not recorded; the audit will find them", ids.size(), e);
    }
  }

  /**
   * Records those ends of these jobs that their fires do not have, for which it only reads where
   * all is well. Returns how many there were.
   */
  public int recordMissing(Collection<Long> jobIds) {
    List<End> ended = ended(jobIds);
    Map<FireId, FireRow> found =
        fires.find(ended.stream().map(End::fire).toList()).stream()
            .collect(toMap(fire -> new FireId(fire.scheduleId(), fire.fireTime()), identity()));
    return recordEnds(ended.stream().filter(end -> isMissing(end, found.get(end.fire()))).toList());
  }

  private static boolean isMissing(End end, FireRow fire) {
    return fire != null
        && end.run().equals(fire.run())
        && !Objects.equals(end.status().code(), fire.endStatus());
  }

  private List<End> ended(Collection<Long> jobIds) {
    return (jobIds.isEmpty() ? List.<JobRow>of() : jobs.find(jobIds))
        .stream()
            .filter(job -> job.fire() != null)
            .filter(job -> job.state().isFinal())
            .map(LateEnds::end)
            .toList();
  }

  private int recordEnds(List<End> found) {
    return found.isEmpty() ? 0 : transactions.execute(() -> ends.recordEnds(found));
  }

  private static End end(JobRow job) {
    return new End(job.fire(), Run.ofJob(job.id()), RunEnds.statusOf(job.state()), job.endTime());
  }

  /**
   * Lets schedules go on that wait for the end of a run that has ended: with the pause from the end
   * of the run, or at once if the run was deleted since.
   *
   * @param standing active ones that nothing but the end of their last run wakes
   * @return how many go on
   */
  public int wake(Collection<ScheduleRow> standing) {
    Map<Long, LastRuns.Standing> last = lastRuns.ofSchedules(standing);
    int woken = 0;
    for (ScheduleRow row : standing) {
      LastRuns.Standing run = last.get(row.id());
      if (run == null) {
        woken += schedules.move(Move.of(row, row.position().woken(row.now()))) ? 1 : 0;
      } else if (run.status() != null) {
        FireId fire = new FireId(row.id(), row.position().lastFireTime());
        woken +=
            recordEnds(List.of(new End(fire, LastRuns.lastRun(row), run.status(), run.endTime())));
      }
    }
    return woken;
  }
}
