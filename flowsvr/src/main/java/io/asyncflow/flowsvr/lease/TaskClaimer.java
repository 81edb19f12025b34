package io.asyncflow.flowsvr.lease;

import io.asyncflow.flowsvr.lease.ClaimLimits.Allowance;
import io.asyncflow.flowsvr.lease.ClaimStore.Head;
import io.asyncflow.flowsvr.lease.ClaimStore.Source;
import io.asyncflow.flowsvr.system.RetryingTransactions;
import io.asyncflow.flowsvr.task.TaskId;
import io.asyncflow.flowsvr.task.TaskRow;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktable.TaskTable;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;

/**
 * Takes due tasks of a type for one holder.
 *
 * <p>A claim first looks, without a lock, which sources (a stage in a table) stand at the head of
 * the order, and then locks as many of each as it wants, in one short transaction. The look only
 * plans: SKIP LOCKED keeps claimers from waiting for each other, and the guarded UPDATE decides.
 * With an engine that locks nothing the result would be the same, with more attempts.
 */
@Service
class TaskClaimer {

  /** How often a claim plans anew when others took what it had planned for. */
  private static final int ROUNDS = 3;

  private static final int SOURCES_A_STATEMENT = 50;
  private static final Comparator<TaskRow> DUE_ORDER =
      Comparator.comparingLong(TaskRow::orderTime).thenComparingLong(row -> row.id().number());
  private static final Comparator<Head> HEAD_ORDER =
      Comparator.comparingLong(Head::orderTime).thenComparingLong(Head::number);

  private final ClaimStore claims;
  private final HoldStore holds;
  private final TaskFamilies families;
  private final ClaimLimits limits;
  private final RetryingTransactions transactions;

  TaskClaimer(
      ClaimStore claims,
      HoldStore holds,
      TaskFamilies families,
      ClaimLimits limits,
      RetryingTransactions transactions) {
    this.claims = claims;
    this.holds = holds;
    this.families = families;
    this.limits = limits;
    this.transactions = transactions;
  }

  /**
   * What a claim came to.
   *
   * @param rows as they are after the hold, in due order
   * @param nextDueInMs when nothing was due, or the type's limits allowed nothing: how long until
   *     that may change; empty if unknown
   */
  record Claim(List<TaskRow> rows, OptionalLong nextDueInMs) {
    boolean isEmpty() {
      return rows.isEmpty();
    }
  }

  /**
   * What an earlier delivery of the same hold was given and still holds; empty if there was none,
   * or nothing is left of it.
   */
  List<TaskRow> heldBefore(Hold hold) {
    if (!hold.isRepeatable()) {
      return List.of();
    }
    return holds.find(hold).map(given -> stillHeld(hold, given)).orElse(List.of());
  }

  private List<TaskRow> stillHeld(Hold hold, HoldStore.Given given) {
    Holder holder = new Holder(hold.workerId(), given.traceId());
    List<TaskRow> rows = new ArrayList<>();
    byTable(given.ids())
        .forEach((table, numbers) -> rows.addAll(claims.held(table, numbers, holder)));
    if (rows.stream().noneMatch(TaskRow::isUnderLiveLease)) {
      holds.delete(hold, given.traceId());
      return List.of();
    }
    rows.sort(DUE_ORDER);
    return rows;
  }

  /** Takes up to {@code hold.limit()} due tasks, or says when to ask again. */
  Claim claim(Hold hold, TaskTypeConfig type) {
    if (type.paused()) {
      return new Claim(List.of(), OptionalLong.empty());
    }
    int limit = hold.limit() == 0 ? type.scheduleLimit() : hold.limit();
    OptionalLong nextDueInMs = OptionalLong.empty();
    for (int round = 0; round < ROUNDS; round++) {
      List<Head> heads = heads(hold, limit);
      if (heads.stream().noneMatch(Head::isDue)) {
        nextDueInMs = heads.stream().mapToLong(h -> h.orderTime() - h.now()).min();
        break;
      }
      Taken taken = take(hold, type, heads, limit);
      if (!taken.rows().isEmpty() || taken.allowance().tasks() == 0) {
        return new Claim(taken.rows(), taken.allowance().nextInMs());
      }
    }
    return new Claim(List.of(), nextDueInMs);
  }

  private List<Head> heads(Hold hold, int limit) {
    List<Source> sources = new ArrayList<>();
    for (TaskTable table : families.of(hold.type()).live()) {
      Collection<String> stages =
          hold.stages().isEmpty() ? claims.waitingStages(table) : hold.stages();
      stages.forEach(stage -> sources.add(new Source(table, stage)));
    }
    List<Head> heads = new ArrayList<>();
    for (int from = 0; from < sources.size(); from += SOURCES_A_STATEMENT) {
      int to = Math.min(from + SOURCES_A_STATEMENT, sources.size());
      heads.addAll(claims.heads(sources.subList(from, to), limit));
    }
    return heads;
  }

  /** How many of each source are among the first {@code limit} due tasks of all. */
  static Map<Source, Integer> plan(List<Head> heads, int limit) {
    Map<Source, Integer> plan = new LinkedHashMap<>();
    heads.stream()
        .filter(Head::isDue)
        .sorted(HEAD_ORDER)
        .limit(limit)
        .forEach(head -> plan.merge(head.source(), 1, Integer::sum));
    return plan;
  }

  /** What was taken of what might be. */
  private record Taken(List<TaskRow> rows, Allowance allowance) {}

  private Taken take(Hold hold, TaskTypeConfig type, List<Head> heads, int limit) {
    Holder holder = new Holder(hold.workerId(), newTraceId());
    List<TaskTable> live =
        families.of(hold.type()).live(); // before the transaction: it may run DDL
    try {
      return transactions.execute(
          () -> {
            Allowance allowance = limits.lock(type, live);
            Map<Source, Integer> plan = plan(heads, Math.min(limit, allowance.tasks()));
            List<TaskRow> rows = takeInTransaction(hold, type, plan, holder);
            limits.spend(type, allowance, rows.size());
            return new Taken(rows, allowance);
          });
    } catch (DuplicateKeyException e) {
      // Another delivery of this hold was served at the same time: it has the tasks to tell again.
      return new Taken(heldBefore(hold), Allowance.UNLIMITED);
    }
  }

  private List<TaskRow> takeInTransaction(
      Hold hold, TaskTypeConfig type, Map<Source, Integer> plan, Holder holder) {
    Map<TaskTable, List<Long>> picked = new TreeMap<>();
    plan.forEach(
        (source, count) ->
            picked
                .computeIfAbsent(source.table(), t -> new ArrayList<>())
                .addAll(claims.lockDue(source, count)));
    List<TaskRow> rows = new ArrayList<>();
    picked.forEach(
        (table, numbers) -> {
          if (!numbers.isEmpty() && claims.markHeld(table, numbers, type, holder) > 0) {
            rows.addAll(claims.held(table, numbers, holder));
          }
        });
    rows.sort(DUE_ORDER);
    if (hold.isRepeatable() && !rows.isEmpty()) {
      Duration longestLease = type.maxProcessingTime();
      holds.insert(hold, holder.traceId(), rows.stream().map(TaskRow::id).toList(), longestLease);
    }
    return rows;
  }

  private static Map<TaskTable, List<Long>> byTable(List<TaskId> ids) {
    Map<TaskTable, List<Long>> numbers = new TreeMap<>();
    ids.forEach(id -> numbers.computeIfAbsent(id.table(), t -> new ArrayList<>()).add(id.number()));
    return numbers;
  }

  private static String newTraceId() {
    return UUID.randomUUID().toString().replace("-", "");
  }
}
