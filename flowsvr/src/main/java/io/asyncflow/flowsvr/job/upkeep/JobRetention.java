package io.asyncflow.flowsvr.job.upkeep;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktable.TaskFamily;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Service;

/**
 * Deletes jobs some days after they have ended: as many as their type's tables are kept after their
 * last task. The inputs of those that succeeded, which nothing needs any more, go before.
 *
 * <p>A job's row goes first, in one transaction with a note of what is left of it: from then on
 * there is no such job, to nobody, and its key is free. What it leaves is deleted in pages. So
 * nobody retries half a job, and a kill leaves the rest to the next round. Tasks are left alone:
 * they go with their tables. Harmless on several servers.
 */
@Service
public class JobRetention {

  private static final int PAGE = 500;

  /** Of jobs, or of inputs, in one round; what is left over waits for the next one. */
  private static final int MAX_PAGES = 20;

  /** Of what deleted jobs have left, each of which leaves one at least. */
  private static final int MAX_PAGES_LEFT = PAGE * MAX_PAGES;

  /** Sweeps read the families, so that this need not. */
  private static final Duration LATELY = Duration.ofSeconds(12);

  private final TaskTypes types;
  private final TaskFamilies families;
  private final JobRetentionStore store;
  private final RetryingTransactions transactions;
  private final Duration inputRetention;
  private final Duration keyRetention;

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
    return Duty.ofLeader("job-retention", every.cleaning(), this::runOnce);
  }

  /** Returns how many jobs were deleted, and inputs of others. */
  public int runOnce() {
    int deleted = deleteInputs();
    Map<TaskType, Duration> retentions = new HashMap<>();
    for (TaskFamily family : families.allWithin(LATELY)) {
      types
          .find(family.type())
          .filter(type -> type.retentionDays() > 0)
          .ifPresent(type -> retentions.put(family.type(), Duration.ofDays(type.retentionDays())));
    }
    for (TaskType type : store.withEnded(retentions, keyRetention)) {
      deleted += delete(type, retentions.get(type));
    }
    clear();
    return deleted;
  }

  /** One a transaction, for an input may be large. */
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

  private int delete(TaskType type, Duration retention) {
    int deleted = 0;
    for (int page = 0; page < MAX_PAGES; page++) {
      List<Long> ended = store.ended(type, retention, keyRetention, PAGE);
      if (!ended.isEmpty()) {
        deleted += transactions.execute(() -> store.delete(ended, type, retention, keyRetention));
      }
      if (ended.size() < PAGE) {
        break;
      }
    }
    return deleted;
  }

  private void clear() {
    Optional<Long> gone = store.anyGone();
    for (int page = 0; page < MAX_PAGES_LEFT && gone.isPresent(); page++) {
      long id = gone.get();
      if (transactions.execute(() -> store.clear(id, PAGE))) {
        gone = store.anyGone();
      }
    }
  }
}
