package io.asyncflow.flowsvr.create;

import static io.asyncflow.flowsvr.tasktable.Freshness.RECENT;

import io.asyncflow.api.CreateOutcome;
import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.access.Names;
import io.asyncflow.flowsvr.create.IdempotencyKeyStore.KeyUse;
import io.asyncflow.flowsvr.lane.Lanes;
import io.asyncflow.flowsvr.system.Sha256;
import io.asyncflow.flowsvr.task.KeyOptions;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.task.TransitionStore;
import io.asyncflow.flowsvr.tasktable.NewTaskTables;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
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
import java.util.Comparator;
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

  /**
   * A task to be created.
   *
   * @param newId its id if it is created
   */
  record Wanted(TaskDraft task, TaskId newId) {

    String key() {
      return task.idempotencyKey();
    }

    boolean needsStatus() {
      KeyOptions options = task.keyOptions();
      return DuplicateCreate.needsStatus(options.onDuplicate(), options.untilDone());
    }
  }

  /** What stands under a key, while the tasks of a call are created one after another. */
  private static final class Standing {

    private KeyUse use;
    private boolean isNew;
    private boolean isChanged;
    private TaskStatus status;
    private TaskRow row;
    private TaskDraft newBody;

    Standing(KeyUse use, boolean isNew) {
      this.use = use;
      this.isNew = isNew;
    }

    boolean isFirstUse(Wanted one) {
      return isNew && use.id().equals(one.newId());
    }
  }

  /**
   * Does with the tasks under the keys what the creates ask for, in their order. Requires a
   * transaction, whose caller then inserts the tasks that are {@link CreateOutcome#CREATED}, with
   * the last body of those that are new and were replaced.
   *
   * @param table the table of the new tasks
   * @param wanted tasks of one type, with keys
   * @param users those whose tasks the caller sees
   * @param laneOf the lanes of that table by their workers: those of all wanted tasks that not
   *     every worker may hold
   * @param newTasks gets the tasks to be inserted
   * @return the results in the order of {@code wanted}
   * @throws IdempotencyConflictException if a create is refused
   */
  List<CreatedTask> create(
      TaskTable table,
      List<Wanted> wanted,
      Names users,
      Map<Set<String>, String> laneOf,
      SortedMap<Long, TaskDraft> newTasks) {
    SortedMap<String, Standing> standings = take(table, wanted);
    lockRows(wanted, standings, users);
    refuseOfOthers(wanted, standings, users);
    List<CreatedTask> results = new ArrayList<>(wanted.size());
    for (Wanted one : wanted) {
      Standing standing = standings.get(one.key());
      CreateOutcome outcome = outcome(one, standing);
      if (outcome == CreateOutcome.CREATED) {
        standing.isChanged = !standing.use.id().equals(one.newId());
        standing.use = useOf(one);
        standing.isNew = true;
        standing.status = TaskStatus.WAITING;
        newTasks.put(one.newId().number(), one.task());
      } else if (outcome == CreateOutcome.REPLACED || outcome == CreateOutcome.RERUN) {
        standing.isChanged = true;
        standing.use = useOf(new Wanted(one.task(), standing.use.id()));
        standing.status = TaskStatus.WAITING;
        if (standing.isNew) {
          newTasks.put(standing.use.id().number(), one.task());
        } else {
          standing.newBody = one.task();
        }
      }
      results.add(new CreatedTask(standing.use.id(), outcome));
    }
    write(table, standings.values(), laneOf);
    return results;
  }

  /** Takes the free keys for the first create of each, and locks all. */
  private SortedMap<String, Standing> take(TaskTable table, List<Wanted> wanted) {
    SortedMap<String, KeyUse> firstUses = new TreeMap<>();
    wanted.forEach(one -> firstUses.computeIfAbsent(one.key(), key -> useOf(one)));
    keys.takeFree(table, List.copyOf(firstUses.values()));
    SortedMap<String, Standing> standings = new TreeMap<>();
    keys.find(table, firstUses.keySet())
        .forEach(
            (key, use) ->
                standings.put(key, new Standing(use, use.id().equals(firstUses.get(key).id()))));
    return standings;
  }

  private KeyUse useOf(Wanted one) {
    Long ownMs = one.task().keyOptions().keyMs();
    return new KeyUse(one.key(), bodyHash(one.task()), one.newId(), ownMs == null ? keptMs : ownMs);
  }

  /** Locks and reads the tasks of which a create needs to know the status, or the user. */
  private void lockRows(List<Wanted> wanted, Map<String, Standing> standings, Names users) {
    SortedMap<TaskId, Standing> needed =
        new TreeMap<>(Comparator.comparing(TaskId::table).thenComparing(TaskId::number));
    for (Wanted one : wanted) {
      Standing standing = standings.get(one.key());
      if (!standing.isNew && (one.needsStatus() || !users.isAll())) {
        needed.put(standing.use.id(), standing);
      }
    }
    if (needed.isEmpty()) {
      return;
    }
    SortedMap<TaskTable, List<Long>> numbers = new TreeMap<>();
    needed
        .keySet()
        .forEach(
            id -> numbers.computeIfAbsent(id.table(), t -> new ArrayList<>()).add(id.number()));
    for (TaskTable table : families.existing(numbers.keySet(), RECENT).stream().sorted().toList()) {
      for (TaskRow row : tasks.lockBriefly(table, numbers.get(table))) {
        Standing standing = needed.get(row.id());
        standing.row = row;
        standing.status = row.status();
      }
    }
  }

  private static void refuseOfOthers(
      List<Wanted> wanted, Map<String, Standing> standings, Names users) {
    for (Wanted one : wanted) {
      TaskRow row = standings.get(one.key()).row;
      if (row != null && !users.contains(row.userId())) {
        throw new IdempotencyConflictException(one.task());
      }
    }
  }

  private CreateOutcome outcome(Wanted one, Standing standing) {
    if (standing.isFirstUse(one)) {
      return CreateOutcome.CREATED;
    }
    KeyOptions options = one.task().keyOptions();
    if (options.onDuplicate() == OnDuplicate.RERUN
        && standing.status != null
        && standing.status.isFinal()
        && !newTaskTables.enter(standing.use.id().table())) {
      standing.status = null; // its table takes no tasks any more
    }
    boolean sameBody = Arrays.equals(standing.use.bodyHash(), bodyHash(one.task()));
    return DuplicateCreate.outcome(
            options.onDuplicate(), options.untilDone(), standing.status, sameBody)
        .orElseThrow(() -> new IdempotencyConflictException(one.task()));
  }

  private void write(
      TaskTable table, Collection<Standing> standings, Map<Set<String>, String> laneOf) {
    standings.stream()
        .filter(standing -> standing.newBody != null)
        .forEach(standing -> renew(table, standing, laneOf));
    List<KeyUse> changed =
        standings.stream()
            .filter(standing -> standing.isChanged)
            .map(standing -> standing.use)
            .toList();
    if (!changed.isEmpty()) {
      keys.change(table, changed);
    }
  }

  private void renew(TaskTable table, Standing standing, Map<Set<String>, String> laneOf) {
    String lane = laneOf.getOrDefault(standing.newBody.workers(), Lane.OPEN);
    if (!lane.equals(Lane.OPEN) && !standing.row.id().table().equals(table)) {
      lanes.extend(lane, standing.row.id().table());
    }
    TaskRow row = standing.row;
    EventKind kind = row.status() == TaskStatus.WAITING ? EventKind.REPLACED : EventKind.REVIVED;
    TaskRow renewed = standing.newBody.renewing(row, lane);
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
