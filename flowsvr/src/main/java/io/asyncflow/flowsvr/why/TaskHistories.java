package io.asyncflow.flowsvr.why;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.find.HistoryEntry;
import io.asyncflow.api.find.TaskHistory;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.task.TaskNotFoundException;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.why.Facts.DoneAct;
import io.asyncflow.rules.HoldEnd.Verdict;
import io.asyncflow.rules.ScheduleLog;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.stereotype.Service;

/**
 * What happened to a task, from its row, from the ends of its last six holds in its log, and from
 * the acts on it. Thread-safe.
 */
@Service
class TaskHistories {

  private static final Set<String> VERDICTS =
      new HashSet<>(Arrays.stream(Verdict.values()).map(Verdict::name).toList());

  private final WhyStore store;
  private final TaskFamilies families;

  TaskHistories(WhyStore store, TaskFamilies families) {
    this.store = store;
    this.families = families;
  }

  /**
   * @throws TaskNotFoundException if the caller sees no such task
   */
  TaskHistory of(TaskId id, Caller caller) {
    TaskRow row =
        (caller.seesType(id.type().name()) && families.has(id.table())
                ? store.task(id)
                : Optional.<TaskRow>empty())
            .filter(found -> caller.seesUser(found.userId()))
            .orElseThrow(() -> new TaskNotFoundException(id));
    List<HistoryEntry> entries = new ArrayList<>();
    entries.add(entry(row.createTime(), "CREATED").build());
    Set<Integer> known = new HashSet<>();
    long waitsSince = row.createTime();
    for (ScheduleLog.Entry end : ScheduleLog.entries(row.scheduleLog())) {
      known.add(end.leaseEpoch());
      entries.add(ofEnd(end, waitsSince, caller));
      waitsSince = end.time();
    }
    store.acts(id, null).forEach(act -> entries.add(ofAct(act)));
    if (row.status() == TaskStatus.EXECUTING) {
      known.add(row.leaseEpoch());
      entries.add(
          entry(row.holdTime(), "HELD")
              .stage(row.stage())
              .worker(row.workerId(), row.leaseEpoch(), row.traceId())
              .took(null, Math.max(0, row.holdTime() - waitsSince))
              .build());
    }
    entries.sort(Comparator.comparingLong(HistoryEntry::time));
    entries.add(
        entry(row.modifyTime(), "CURRENT").stage(row.stage()).outcome(row.status().name()).build());
    return new TaskHistory(entries, known.size() < row.leaseEpoch());
  }

  private static HistoryEntry ofEnd(ScheduleLog.Entry end, long waitsSince, Caller caller) {
    boolean isVerdict = VERDICTS.contains(end.outcome());
    Building entry =
        entry(end.time(), isVerdict ? "FAILURE" : "REPORT")
            .stage(end.stage())
            .worker(end.workerId(), end.leaseEpoch(), end.traceId())
            .took(end.costMs(), Math.max(0, end.time() - end.costMs() - waitsSince));
    if (isVerdict) {
      entry.verdict(end.outcome());
    } else {
      entry.outcome(end.outcome());
    }
    if (caller.may(Verb.CONTEXT_READ)) {
      entry.errMsg = end.errMsg();
    }
    return entry.build();
  }

  private static HistoryEntry ofAct(DoneAct act) {
    Building entry = entry(act.time(), "ACT").outcome(act.act());
    entry.operator = act.by();
    entry.reason = act.reason().isEmpty() ? null : act.reason();
    return entry.build();
  }

  private static Building entry(long time, String kind) {
    return new Building(time, kind);
  }

  private static final class Building {
    private final long time;
    private final String kind;
    private String stage;
    private String outcome;
    private String verdict;
    private String workerId;
    private Integer leaseEpoch;
    private Long costMs;
    private Long waitMs;
    private String errMsg;
    private String operator;
    private String reason;
    private String traceId;

    private Building(long time, String kind) {
      this.time = time;
      this.kind = kind;
    }

    private Building stage(String value) {
      stage = value;
      return this;
    }

    private Building outcome(String value) {
      outcome = value;
      return this;
    }

    private Building verdict(String value) {
      verdict = value;
      return this;
    }

    private Building worker(String id, int epoch, String trace) {
      workerId = id.isEmpty() ? null : id;
      leaseEpoch = epoch;
      traceId = trace.isEmpty() ? null : trace;
      return this;
    }

    private Building took(Long cost, Long waited) {
      costMs = cost;
      waitMs = waited;
      return this;
    }

    private HistoryEntry build() {
      return new HistoryEntry(
          time,
          kind,
          stage,
          outcome,
          verdict,
          workerId,
          leaseEpoch,
          costMs,
          waitMs,
          errMsg,
          operator,
          reason,
          traceId);
    }
  }
}
