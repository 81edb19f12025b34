package io.asyncflow.flowsvr.compose.job.upkeep;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.compose.job.upkeep.JobRetentionStore.Ended;
import io.asyncflow.flowsvr.compose.job.upkeep.JobRetentionStore.Retention;
import io.asyncflow.flowsvr.compose.job.upkeep.JobRetentionStore.Span;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Service;

/**
 * Deletes jobs when the {@code retention_days} of their type have passed since their end. Inputs of
 * successful jobs are deleted earlier, because nothing reads them.
 *
 * <p>A job's row is deleted first, in one transaction with a record in {@code t_job_gone}: from
 * then on the job does not exist for any caller, and its key is free. Its dependent rows are then
 * deleted in pages. So a partly deleted job cannot be retried, and after a crash the next round
 * continues. Tasks are not deleted here but with their tables.
 *
 * <p>A key is valid for some days, so a job with a key may stay when jobs that ended later are
 * deleted. No index tells them apart. So each job that ended is looked at once when jobs without a
 * key are due, and again when jobs with a key are.
 *
 * <p>Not thread-safe; may run on several servers at once.
 */
@Service
public class JobRetention {

  private static final int PAGE = 500;

  /** The limit of pages of jobs, or of inputs, in one round; the next round continues. */
  private static final int MAX_PAGES = 20;

  /** The limit of pages of dependent rows in one round; each deleted job needs at least one. */
  private static final int MAX_DEPENDENT_PAGES = PAGE * MAX_PAGES;

  /** Sweeps refresh the cached families, so that no extra read is needed. */
  private static final Duration FAMILIES_AGE = Duration.ofSeconds(12);

  private final TaskTypes types;
  private final TaskFamilies families;
  private final JobRetentionStore store;
  private final RetryingTransactions transactions;
  private final Duration inputRetention;
  private final Duration keyRetention;

  /** The last job that was looked at before jobs with a key were due, by type. */
  private final Map<TaskType, Ended> lastLookedAt = new HashMap<>();

  JobRetention(
      TaskTypes types,
      TaskFamilies families,
      JobRetentionStore store,
      RetryingTransactions transactions,
      @Value("${flow.job.input-retention:1d}") Duration inputRetention,
      @Value("${flow.idempotency-key-retention:7d}") Duration keyRetention) {
    this.types = types;
    this.families = families;
    this.store = store;
    this.transactions = transactions;
    this.inputRetention = inputRetention;
    this.keyRetention = keyRetention;
  }

  @Bean
  Duty jobRetentionDuty(DutyIntervals every) {
    return Duty.ofCleaning("job-retention", every, this::runOnce);
  }

  /** Runs a round; returns the number of deleted jobs and inputs. */
  public int runOnce() {
    int deleted = deleteInputs();
    Map<TaskType, Retention> retentions = new HashMap<>();
    for (TaskFamily family : families.allWithin(FAMILIES_AGE)) {
      types
          .find(family.type())
          .filter(type -> type.retentionDays() > 0)
          .ifPresent(type -> retentions.put(family.type(), retention(type.retentionDays())));
    }
    for (Span span : store.withJobs(spans(retentions))) {
      deleted += delete(span, retentions.get(span.type()));
    }
    clear();
    return deleted;
  }

  /** Deletes inputs, each in its own transaction, because an input may be large. */
  private int deleteInputs() {
    int deleted = 0;
    for (int page = 0; page < MAX_PAGES; page++) {
      List<Long> ids = store.withNeedlessInput(inputRetention, PAGE);
      for (long id : ids) {
        deleted += transactions.execute(() -> store.deleteInput(id, inputRetention)) ? 1 : 0;
      }
      if (ids.size() < PAGE) {
        break;
      }
    }
    return deleted;
  }

  private Retention retention(int days) {
    Duration unkeyed = Duration.ofDays(days);
    return new Retention(unkeyed, unkeyed.compareTo(keyRetention) < 0 ? keyRetention : unkeyed);
  }

  private List<Span> spans(Map<TaskType, Retention> retentions) {
    List<Span> spans = new ArrayList<>();
    retentions.forEach(
        (type, retention) -> {
          spans.add(new Span(type, Ended.NONE, retention.keyed()));
          if (!retention.unkeyed().equals(retention.keyed())) {
            Ended last = lastLookedAt.getOrDefault(type, Ended.NONE);
            spans.add(new Span(type, last, retention.unkeyed()));
          }
        });
    return spans;
  }

  private int delete(Span span, Retention retention) {
    int deleted = 0;
    Span rest = span;
    for (int page = 0; page < MAX_PAGES; page++) {
      List<Ended> ended = store.ended(rest, PAGE);
      if (!ended.isEmpty()) {
        List<Long> ids = ended.stream().map(Ended::id).toList();
        deleted += transactions.execute(() -> store.delete(ids, span.type(), retention));
        rest = new Span(span.type(), ended.get(ended.size() - 1), span.age());
        if (span.age().compareTo(retention.keyed()) < 0) {
          lastLookedAt.put(span.type(), rest.after());
        }
      }
      if (ended.size() < PAGE) {
        break;
      }
    }
    return deleted;
  }

  private void clear() {
    Optional<Long> deletedJob = store.anyDeleted();
    for (int page = 0; page < MAX_DEPENDENT_PAGES && deletedJob.isPresent(); page++) {
      long id = deletedJob.get();
      if (transactions.execute(() -> store.clear(id, PAGE))) {
        deletedJob = store.anyDeleted();
      }
    }
  }
}
