package io.asyncflow.flowsvr.queue.create;

import static io.asyncflow.flowsvr.task.table.Freshness.RECENT;

import io.asyncflow.api.CreateOutcome;
import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.base.system.Sha256;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.queue.create.IdempotencyKeyStore.KeyUse;
import io.asyncflow.flowsvr.task.lane.Lanes;
import io.asyncflow.flowsvr.task.row.KeyOptions;
import io.asyncflow.flowsvr.task.row.NewRow;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.row.TransitionStore;
import io.asyncflow.flowsvr.task.table.NewTaskTables;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.rules.DuplicateCreate;
import io.asyncflow.rules.Lane;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Creates of tasks with idempotency keys. Thread-safe.
 *
 * <p>The rows of the keys are locked first, in the order of the keys: so creates of one key run one
 * after another. Then the rows of the tasks that stand under them are locked, but only where a
 * create asks for more than the id; whatever changes such a task meanwhile has changed it before,
 * or waits.
 */
@Component
class KeyedCreates {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final IdempotencyKeyStore keys;
  private final TaskStore tasks;
  private final TransitionStore transitions;
  private final TaskFamilies families;
  private final NewTaskTables newTaskTables;
  private final Lanes lanes;
  private final long keptMs;

  KeyedCreates(
      IdempotencyKeyStore keys,
      TaskStore tasks,
      TransitionStore transitions,
      TaskFamilies families,
      NewTaskTables newTaskTables,
      Lanes lanes,
      @Value("${flow.idempotency-key-retention:7d}") Duration retention) {
    this.keys = keys;
    this.tasks = tasks;
    this.transitions = transitions;
    this.families = families;
    this.newTaskTables = newTaskTables;
    this.lanes = lanes;
    this.keptMs = retention.toMillis();
  }

  /** A key and its task, while the tasks of a call are created one after another. */
  private static final class KeyEntry {

    private KeyUse use;
    private boolean isNew;
    private boolean isChanged;
    private TaskStatus status;
    private TaskRow row;
    private NewRow newBody;

    KeyEntry(KeyUse use, boolean isNew) {
      this.use = use;
      this.isNew = isNew;
    }

    boolean isFirstUse(NewRow one) {
      return isNew && use.id().equals(one.id());
    }
  }

  /**
   * Does with the tasks under the keys what the creates ask for, in their order. Requires a
   * transaction if there is a key. The caller then inserts the tasks that are {@link
   * CreateOutcome#CREATED}, with the last body of those that are new and were replaced.
   *
   * @param rows the rows that the tasks would have, in one table
   * @param call whose rows these are
   * @param results gets those of the creates, by the ids of their rows
   * @return the rows to be inserted, in the order of their ids
   * @throws IdempotencyConflictException if a create is refused
   */
  List<NewRow> take(List<NewRow> rows, CreateCall call, Map<TaskId, CreatedTask> results) {
    List<NewRow> keyed = rows.stream().filter(row -> row.task().idempotencyKey() != null).toList();
    SortedMap<Long, NewRow> inserts = new TreeMap<>();
    for (NewRow row : rows) {
      if (row.task().idempotencyKey() == null) {
        inserts.put(row.id().number(), row);
        results.put(row.id(), new CreatedTask(row.id(), CreateOutcome.CREATED));
      }
    }
    if (!keyed.isEmpty()) {
      takeKeyed(keyed, call, results, inserts);
    }
    return List.copyOf(inserts.values());
  }

  private void takeKeyed(
      List<NewRow> wanted,
      CreateCall call,
      Map<TaskId, CreatedTask> results,
      Map<Long, NewRow> inserts) {
    TaskTable table = wanted.get(0).id().table();
    SortedMap<String, KeyEntry> entries = take(table, wanted);
    lockRows(wanted, entries, call);
    refuseOfOthers(wanted, entries, call.users());
    for (NewRow one : wanted) {
      KeyEntry entry = entries.get(one.task().idempotencyKey());
      CreateOutcome outcome = outcome(one.task(), entry, entry.isFirstUse(one));
      if (outcome == CreateOutcome.CREATED) {
        entry.isChanged = !entry.use.id().equals(one.id());
        entry.use = useOf(one.task(), one.id());
        entry.isNew = true;
        entry.status = TaskStatus.WAITING;
        inserts.put(one.id().number(), one);
      } else if (outcome == CreateOutcome.REPLACED || outcome == CreateOutcome.RERUN) {
        TaskId id = entry.use.id();
        entry.isChanged = true;
        entry.use = useOf(one.task(), id);
        entry.status = TaskStatus.WAITING;
        if (entry.isNew) {
          inserts.put(id.number(), one.withId(id));
        } else {
          entry.newBody = one;
        }
      }
      results.put(one.id(), new CreatedTask(entry.use.id(), outcome));
    }
    write(table, entries.values());
  }

  /** Takes the free keys for the first create of each, and locks all. */
  private SortedMap<String, KeyEntry> take(TaskTable table, List<NewRow> wanted) {
    SortedMap<String, KeyUse> firstUses = new TreeMap<>();
    wanted.forEach(
        one ->
            firstUses.computeIfAbsent(
                one.task().idempotencyKey(), key -> useOf(one.task(), one.id())));
    keys.takeFree(table, List.copyOf(firstUses.values()));
    SortedMap<String, KeyEntry> entries = new TreeMap<>();
    keys.find(table, firstUses.keySet())
        .forEach(
            (key, use) ->
                entries.put(key, new KeyEntry(use, use.id().equals(firstUses.get(key).id()))));
    return entries;
  }

  private KeyUse useOf(TaskDraft task, TaskId id) {
    Long ownMs = task.keyOptions().keyMs();
    return new KeyUse(task.idempotencyKey(), bodyHash(task), id, ownMs == null ? keptMs : ownMs);
  }

  /** Locks and reads the tasks of which a create needs to know the status, or the user. */
  private void lockRows(List<NewRow> wanted, Map<String, KeyEntry> entries, CreateCall call) {
    SortedMap<TaskTable, SortedMap<Long, KeyEntry>> needed = new TreeMap<>();
    for (NewRow one : wanted) {
      KeyEntry entry = entries.get(one.task().idempotencyKey());
      KeyOptions options = one.task().keyOptions();
      boolean needsStatus = DuplicateCreate.needsStatus(options.onDuplicate(), options.untilDone());
      if (!entry.isNew && (needsStatus || !call.users().isAll())) {
        TaskId id = entry.use.id();
        needed.computeIfAbsent(id.table(), t -> new TreeMap<>()).put(id.number(), entry);
      }
    }
    if (needed.isEmpty()) {
      return;
    }
    needed.keySet().retainAll(families.existing(Set.copyOf(needed.keySet()), RECENT));
    needed.forEach(
        (table, ofTable) -> {
          for (TaskRow row : tasks.lock(table, List.copyOf(ofTable.keySet()))) {
            KeyEntry entry = ofTable.get(row.id().number());
            entry.row = row;
            entry.status = row.id().equals(call.reported()) ? TaskStatus.EXECUTING : row.status();
          }
        });
  }

  private static void refuseOfOthers(
      List<NewRow> wanted, Map<String, KeyEntry> entries, Names users) {
    for (NewRow one : wanted) {
      TaskRow row = entries.get(one.task().idempotencyKey()).row;
      if (row != null && !users.contains(row.userId())) {
        throw new IdempotencyConflictException(one.task());
      }
    }
  }

  private CreateOutcome outcome(TaskDraft task, KeyEntry entry, boolean isFirstUse) {
    if (isFirstUse) {
      return CreateOutcome.CREATED;
    }
    KeyOptions options = task.keyOptions();
    if (options.onDuplicate() == OnDuplicate.RERUN
        && entry.status != null
        && entry.status.isFinal()
        && !newTaskTables.enter(entry.use.id().table())) {
      entry.status = null; // its table takes no tasks any more
    }
    boolean sameBody = Arrays.equals(entry.use.bodyHash(), bodyHash(task));
    return DuplicateCreate.outcome(
            options.onDuplicate(), options.untilDone(), entry.status, sameBody)
        .orElseThrow(() -> new IdempotencyConflictException(task));
  }

  private void write(TaskTable table, Collection<KeyEntry> entries) {
    entries.stream().filter(entry -> entry.newBody != null).forEach(this::renew);
    List<KeyUse> changed =
        entries.stream().filter(entry -> entry.isChanged).map(entry -> entry.use).toList();
    if (!changed.isEmpty()) {
      keys.change(table, changed);
    }
  }

  private void renew(KeyEntry entry) {
    TaskRow row = entry.row;
    NewRow body = entry.newBody;
    if (!body.lane().equals(Lane.OPEN) && !row.id().table().equals(body.id().table())) {
      lanes.extend(body.lane(), row.id().table());
    }
    EventKind kind = row.status() == TaskStatus.WAITING ? EventKind.REPLACED : EventKind.REVIVED;
    TaskRow renewed = body.task().renewing(row, body.lane());
    transitions.change(List.of(new TaskTransition(row, renewed, kind, null)));
  }

  /**
   * The hash of the task's values; the spelling and the white space of the JSON do not matter. The
   * options of the key are not part of the body.
   */
  private static byte[] bodyHash(TaskDraft task) {
    List<Object> values =
        new ArrayList<>(
            Arrays.asList(
                task.userId(),
                task.type().name(),
                task.stage(),
                task.scheduleLog(),
                task.context(),
                task.priority(),
                task.delayMs(),
                task.runAt(),
                task.maxRetryNum(),
                task.maxRetryInterval()));
    if (task.maxUnexpectedRetries() != null) {
      values.add(task.maxUnexpectedRetries());
    }
    if (!task.workers().isEmpty()) {
      values.add(new TreeSet<>(task.workers()));
    }
    return Sha256.of(JSON.writeValueAsBytes(values));
  }
}
