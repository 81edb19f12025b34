package io.asyncflow.flowsvr.operate.why;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.find.HistoryEntry;
import io.asyncflow.api.find.TaskHistory;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.operate.why.Facts.DoneAct;
import io.asyncflow.flowsvr.task.row.TaskNotFoundException;
import io.asyncflow.rules.HoldEnd.Verdict;
import io.asyncflow.rules.ScheduleLog;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.stereotype.Service;

/**
 * What happened to a task, from its row, from the ends of its last six holds in its log, and from
 * the acts on it. Thread-safe.
 */
@Service
class TaskHistories {

  private static final Set<String> VERDICTS =
      Arrays.stream(Verdict.values()).map(Verdict::name).collect(toSet());

  private final WhyStore store;
  private final TaskWhy why;

  TaskHistories(WhyStore store, TaskWhy why) {
    this.store = store;
    this.why = why;
  }

  /**
   * @throws TaskNotFoundException if the caller sees no such task
   */
  TaskHistory of(TaskId id, Caller caller) {
    TaskRow row = why.row(id, caller);
    List<HistoryEntry> entries = new ArrayList<>();
    entries.add(entry(row.createTime(), "CREATED", null, null, Held.NONE, null));
    Set<Integer> known = new HashSet<>();
    long waitsSince = row.createTime();
    for (ScheduleLog.Entry end : ScheduleLog.entries(row.scheduleLog())) {
      known.add(end.leaseEpoch());
      long waited = Math.max(0, end.time() - end.costMs() - waitsSince);
      Held held = new Held(end.workerId(), end.leaseEpoch(), end.traceId(), end.costMs(), waited);
      String kind = VERDICTS.contains(end.outcome()) ? "FAILURE" : "REPORT";
      String errMsg = caller.may(Verb.CONTEXT_READ) ? end.errMsg() : null;
      entries.add(entry(end.time(), kind, end.stage(), end.outcome(), held, errMsg));
      waitsSince = end.time();
    }
    store.acts(id, null).forEach(act -> entries.add(ofAct(act)));
    if (row.status() == TaskStatus.EXECUTING) {
      known.add(row.leaseEpoch());
      long waited = Math.max(0, row.holdTime() - waitsSince);
      Held held = new Held(row.workerId(), row.leaseEpoch(), row.traceId(), null, waited);
      entries.add(entry(row.holdTime(), "HELD", row.stage(), null, held, null));
    }
    entries.sort(Comparator.comparingLong(HistoryEntry::time));
    String status = row.status().name();
    entries.add(entry(row.modifyTime(), "CURRENT", row.stage(), status, Held.NONE, null));
    return new TaskHistory(entries, known.size() < row.leaseEpoch());
  }

  private record Held(
      String workerId, Integer leaseEpoch, String traceId, Long costMs, Long waitMs) {
    static final Held NONE = new Held("", null, "", null, null);
  }

  private static HistoryEntry entry(
      long time, String kind, String stage, String outcome, Held held, String errMsg) {
    boolean isVerdict = kind.equals("FAILURE");
    return new HistoryEntry(
        time,
        kind,
        stage,
        isVerdict ? null : outcome,
        isVerdict ? outcome : null,
        held.workerId().isEmpty() ? null : held.workerId(),
        held.leaseEpoch(),
        held.costMs(),
        held.waitMs(),
        errMsg,
        null,
        null,
        held.traceId().isEmpty() ? null : held.traceId());
  }

  private static HistoryEntry ofAct(DoneAct act) {
    return new HistoryEntry(
        act.time(),
        "ACT",
        null,
        act.act(),
        null,
        null,
        null,
        null,
        null,
        null,
        act.by(),
        act.reasonOrNull(),
        null);
  }
}
