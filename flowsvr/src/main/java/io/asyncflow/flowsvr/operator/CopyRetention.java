package io.asyncflow.flowsvr.operator;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.operator.CopyStore.Copying;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.rules.TaskId;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Deletes the records of copies, each after the retention of acts, and not before the copy and its
 * own copies are dropped: only the record shows which objects the copy may name.
 */
@Component
public class CopyRetention {

  private static final int PAGE = 500;

  private final CopyStore copies;
  private final TaskFamilies families;
  private final Duration retention;

  CopyRetention(
      CopyStore copies,
      TaskFamilies families,
      @Value("${flow.act-retention:365d}") Duration retention) {
    this.copies = copies;
    this.families = families;
    this.retention = retention;
  }

  @Bean
  Duty copyRetentionDuty(DutyIntervals every) {
    return Duty.ofCleaning("copy-retention", every, this::runOnce);
  }

  /**
   * Runs a round; returns the number of deleted records. The record of a copy's copy is deleted
   * first; the next round deletes the record before it.
   */
  int runOnce() {
    int deleted = 0;
    List<Copying> page = copies.findOlderThan(retention, 0, PAGE);
    while (!page.isEmpty()) {
      List<Long> over = page.stream().filter(this::isOver).map(Copying::id).toList();
      deleted += over.isEmpty() ? 0 : copies.delete(over);
      long last = page.get(page.size() - 1).id();
      page = page.size() < PAGE ? List.of() : copies.findOlderThan(retention, last, PAGE);
    }
    return deleted;
  }

  private boolean isOver(Copying record) {
    return TaskId.parse(record.copy())
        .filter(copy -> families.hasDropped(copy.table()))
        .isPresent();
  }
}
