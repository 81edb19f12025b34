package io.asyncflow.flowsvr.lease;

import static io.asyncflow.flowsvr.tasktable.Freshness.KNOWN;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HeartbeatAnswer.LeaseState;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.system.db.HeartbeatDatabase;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.rules.Leases;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.springframework.stereotype.Service;

/**
 * Handles heartbeats: renews a worker's leases and reports which of them it has lost. Thread-safe.
 *
 * <p>For known types and tables, that is for all but the first heartbeats after a start, it uses
 * only the {@link HeartbeatDatabase}.
 */
@Service
public class LeaseRenewer {

  private final TaskTypes types;
  private final TaskFamilies families;
  private final RenewalStore store;
  private final RetryingTransactions transactions;

  LeaseRenewer(
      TaskTypes types, TaskFamilies families, RenewalStore store, HeartbeatDatabase database) {
    this.types = types;
    this.families = families;
    this.store = store;
    this.transactions = database.transactions();
  }

  /**
   * Renews leases. A lease that has run out can be renewed until a sweep ends the hold. No lease
   * lasts beyond the hard end of the attempt.
   *
   * @param caller tasks of types beyond its scope count as lost
   * @return the state of each task, in order
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
    byTable.forEach(
        (table, ofTable) ->
            renewIn(table, ofTable, workerId)
                .forEach(row -> rows.put(new TaskId(row.number(), table), row)));
    return beats.stream()
        .map(beat -> stateOf(beat.task(), Optional.ofNullable(rows.get(beat.id())), workerId))
        .toList();
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
    return transactions.execute(
        () -> {
          store.renew(table, inOrder, workerId, type.get());
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
