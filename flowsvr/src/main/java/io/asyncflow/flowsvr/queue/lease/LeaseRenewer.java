package io.asyncflow.flowsvr.queue.lease;

import static io.asyncflow.flowsvr.task.table.Freshness.KNOWN;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HeartbeatAnswer.LeaseState;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.HeartbeatDatabase;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.task.number.WritesWorkAgain;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.Leases;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.EventListener;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.stereotype.Service;

/**
 * Handles heartbeats: renews a worker's leases and reports which of them it has lost. Thread-safe.
 *
 * <p>For known types and tables, that is for all but the first heartbeats after a start, it uses
 * only the {@link HeartbeatDatabase}.
 *
 * <p>Another transaction may have locked a row for long: that of a server that vanished keeps its
 * locks for minutes, and heartbeats name the tasks that it was about to write. So a renewal waits
 * for a lock once, and then leaves locked rows out. Their leases are not lost, because a sweep
 * skips locked rows, too; the worker is told what is left of them, and {@code LOST} once nothing
 * is. Other renewals of this server wait for no locked row for a while, because the few connections
 * of heartbeats would all wait at once. For the same reason a table with trouble of its own, such
 * as a lock on all of it, is tried by one beat at a time ({@link TableTrouble}); so its tasks cost
 * no lease in another table.
 */
@Service
public class LeaseRenewer {

  private static final Logger log = LoggerFactory.getLogger(LeaseRenewer.class);

  /** How long renewals wait for no lock after one has met a lock. */
  private static final Duration HASTE = Duration.ofSeconds(10);

  private final TaskTypes types;
  private final TaskFamilies families;
  private final RenewalStore store;
  private final RetryingTransactions transactions;
  private final Node node;
  private final TableTrouble trouble;

  /** The {@link Node#nanoTime()} until which renewals wait for no lock. */
  private volatile long hasteUntil;

  LeaseRenewer(
      TaskTypes types,
      TaskFamilies families,
      RenewalStore store,
      HeartbeatDatabase database,
      Node node) {
    this.types = types;
    this.families = families;
    this.store = store;
    this.transactions = database.transactions();
    this.node = node;
    this.trouble = new TableTrouble(node::nanoTime);
    this.hasteUntil = node.nanoTime();
  }

  /**
   * Renews leases. A lease that has run out can be renewed until a sweep ends the hold. No lease
   * lasts beyond the hard end of the attempt.
   *
   * @param caller tasks of types beyond its scope count as lost
   * @return the states of the tasks, in order, without those in tables that have trouble of their
   *     own, whose leases stay as they are
   * @throws org.springframework.dao.DataAccessException if no table could be written
   */
  public List<LeaseState> renew(String workerId, List<ParsedBeat> beats, Caller caller) {
    Set<TaskTable> existing = existingTables(beats, caller);
    Map<TaskTable, List<ParsedBeat>> byTable = new TreeMap<>();
    for (ParsedBeat beat : beats) {
      TaskTable table = beat.id().table();
      if (existing.contains(table)) {
        byTable.computeIfAbsent(table, t -> new ArrayList<>()).add(beat);
      }
    }
    Map<TaskId, HeldRow> rows = new HashMap<>();
    Map<TaskTable, RuntimeException> failures = new HashMap<>();
    for (Map.Entry<TaskTable, List<ParsedBeat>> ofTable : byTable.entrySet()) {
      TaskTable table = ofTable.getKey();
      trouble
          .of(table)
          .or(() -> renewInto(rows, table, ofTable.getValue(), workerId))
          .ifPresent(failure -> failures.put(table, failure));
    }
    if (!failures.isEmpty() && failures.size() == byTable.size()) {
      throw failures.values().iterator().next();
    }
    return beats.stream()
        .filter(beat -> !failures.containsKey(beat.id().table()))
        .map(beat -> stateOf(beat.task(), Optional.ofNullable(rows.get(beat.id())), workerId))
        .toList();
  }

  /** Renews the leases in a table and adds its rows; returns the failure that is its own. */
  private Optional<RuntimeException> renewInto(
      Map<TaskId, HeldRow> rows, TaskTable table, List<ParsedBeat> beats, String workerId) {
    try {
      renewIn(table, beats, workerId)
          .forEach(row -> rows.put(new TaskId(row.number(), table), row));
      trouble.worked(table);
      return Optional.empty();
    } catch (BadSqlGrammarException
        | PessimisticLockingFailureException
        | UncategorizedSQLException e) { // no table or no grant, a lock on it, damage
      trouble.failed(table, e);
      log.warn("leases in {} are not renewed, but tried again: {}", table, e.toString());
      return Optional.of(e);
    }
  }

  /** What looked like trouble of tables, or like locks on rows, was the database. */
  @EventListener
  void on(WritesWorkAgain event) {
    trouble.forget();
    hasteUntil = node.nanoTime();
  }

  private Set<TaskTable> existingTables(List<ParsedBeat> beats, Caller caller) {
    Set<TaskTable> tables =
        beats.stream()
            .map(beat -> beat.id().table())
            .filter(table -> caller.seesType(table.type().name()))
            .filter(table -> types.known(table.type()).isPresent())
            .collect(toSet());
    return families.existing(tables, KNOWN);
  }

  private List<HeldRow> renewIn(TaskTable table, List<ParsedBeat> beats, String workerId) {
    Optional<TaskTypeConfig> type = types.known(table.type());
    if (type.isEmpty()) {
      return List.of(); // the configuration was just deleted
    }
    List<ParsedBeat> inOrder = new ArrayList<>(beats);
    inOrder.sort(Comparator.comparingLong(ParsedBeat::number));
    List<Long> numbers = inOrder.stream().map(ParsedBeat::number).toList();
    if (node.nanoTime() - hasteUntil >= 0) {
      try {
        return transactions.executeOnce(
            () -> {
              store.renew(table, inOrder, workerId, type.get());
              return store.find(table, numbers);
            });
      } catch (PessimisticLockingFailureException e) {
        if (RetryingTransactions.isLockWaitTimeout(e)) { // and no deadlock
          hasteUntil = node.nanoTime() + HASTE.toNanos();
          if (!trouble.failed(table, e)) {
            throw e; // if the whole table is locked, it would be waited for again
          }
          log.info(
              "tasks in {} are locked: for {} s, renewals leave locked tasks out, whose leases"
                  + " stay as they are: {}",
              table,
              HASTE.toSeconds(),
              e.getMostSpecificCause().getMessage());
        }
      }
    }
    return transactions.execute(
        () -> {
          Set<Long> free = store.lockFree(table, numbers);
          List<ParsedBeat> ofFree =
              inOrder.stream().filter(beat -> free.contains(beat.number())).toList();
          if (!ofFree.isEmpty()) {
            store.renew(table, ofFree, workerId, type.get());
          }
          return store.find(table, numbers);
        });
  }

  static LeaseState stateOf(HeldTask held, Optional<HeldRow> found, String workerId) {
    Optional<HeldRow> ownRow =
        found
            .filter(row -> row.workerId().equals(workerId))
            .filter(row -> row.leaseEpoch() == held.leaseEpoch());
    return Leases.told(
        held,
        ownRow.isPresent(),
        found.map(HeldRow::status).orElse(null),
        ownRow.map(row -> row.leaseEnd() - row.now()).orElse(0L));
  }
}
