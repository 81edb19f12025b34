package io.asyncflow.flowsvr.task.lane;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.base.system.db.PagedDelete;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.base.system.db.StatementGroups;
import io.asyncflow.rules.TaskTable;
import java.time.Duration;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Deletes lanes 30 days after they were last asked for, unless a task table that can be read may
 * have tasks in them. Staged children of jobs need no lane: they name their workers themselves.
 */
@Component
public class LaneRetention {

  private static final Duration UNUSED = Duration.ofDays(30);

  /** The lanes that a round looks at. */
  private static final int PAGE = 5_000;

  private static final int SLICE = 500;

  private final LaneStore store;
  private final PagedDelete pages;
  private final RetryingTransactions transactions;

  /** Where the next round goes on. */
  private String lastLane = "";

  LaneRetention(LaneStore store, PagedDelete pages, RetryingTransactions transactions) {
    this.store = store;
    this.pages = pages;
    this.transactions = transactions;
  }

  @Bean
  Duty laneRetentionDuty(DutyIntervals every) {
    return Duty.ofCleaning("lane-retention", every, this::runOnce);
  }

  /**
   * Runs a round: forgets dropped tables, and looks at the next page of the lanes. Returns the
   * number of deleted lanes.
   */
  int runOnce() {
    for (TaskTable table : store.droppedTables()) {
      pages.run(limit -> store.deleteUses(table, limit));
    }
    LaneStore.Page page = store.pageBehind(lastLane, UNUSED, PAGE);
    int deleted = 0;
    for (List<String> slice : StatementGroups.of(page.unused(), SLICE)) {
      deleted += transactions.execute(() -> store.deleteUnused(slice, UNUSED));
    }
    lastLane = page.last();
    return deleted;
  }
}
