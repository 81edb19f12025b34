package io.asyncflow.flowsvr.operator;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.operator.AuditStore.Copying;
import io.asyncflow.flowsvr.system.db.PagedDelete;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.rules.TaskId;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Deletes records of acts, on tasks and on anything else, after their retention periods. The record
 * of an act that made a copy stays until the copy and its own copies are dropped: only the record
 * shows which objects the copy may name.
 */
@Component
public class AuditRetention {

  private static final int PAGE = 500;

  private final AuditStore audit;
  private final ActStore acts;
  private final TaskFamilies families;
  private final PagedDelete pages;
  private final Duration retention;
  private final Duration actRetention;

  AuditRetention(
      AuditStore audit,
      ActStore acts,
      TaskFamilies families,
      PagedDelete pages,
      @Value("${flow.audit-retention:365d}") Duration retention,
      @Value("${flow.act-retention:90d}") Duration actRetention) {
    this.audit = audit;
    this.acts = acts;
    this.families = families;
    this.pages = pages;
    this.retention = retention;
    this.actRetention = actRetention;
  }

  @Bean
  Duty auditRetentionDuty(DutyIntervals every) {
    return Duty.ofLeader("audit-retention", every.cleaning(), this::runOnce);
  }

  /** Runs a round; returns the number of deleted acts. */
  int runOnce() {
    return pages.run(limit -> audit.deleteOlderThan(retention, limit))
        + deleteCopying()
        + pages.run(limit -> acts.deleteOlderThan(actRetention, limit));
  }

  /**
   * Deletes records of acts that made copies. The record of a copy's copy is deleted first; the
   * next round deletes the record before it.
   */
  private int deleteCopying() {
    int deleted = 0;
    List<Copying> page = audit.findCopyingOlderThan(retention, 0, PAGE);
    while (!page.isEmpty()) {
      List<Long> over = page.stream().filter(this::isOver).map(Copying::id).toList();
      deleted += over.isEmpty() ? 0 : audit.delete(over);
      long last = page.get(page.size() - 1).id();
      page = page.size() < PAGE ? List.of() : audit.findCopyingOlderThan(retention, last, PAGE);
    }
    return deleted;
  }

  private boolean isOver(Copying act) {
    return TaskId.parse(act.copy()).filter(copy -> families.hasDropped(copy.table())).isPresent();
  }
}
