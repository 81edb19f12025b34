package io.asyncflow.flowsvr.task.type;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.TimedCache;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.edge.act.Change;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.task.pause.PauseStore;
import io.asyncflow.flowsvr.task.pause.PausesChanged;
import io.asyncflow.rules.PausedName;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * A cache of the configured task types.
 *
 * <p>All rows are read in one statement: when the {@link TimedCache} is old, and at once for an
 * unknown type, which may have been inserted by SQL a moment ago. Many lookups of unknown types
 * share their reads.
 *
 * <p>Thread-safe.
 */
@Component
public class TaskTypes {

  private static final Logger log = LoggerFactory.getLogger(TaskTypes.class);

  /** Unknown types that are asked for at once share a read. */
  private static final Duration ALMOST_NOW = Duration.ofMillis(25);

  private final int maxTypes;
  private final TaskTypeRows rows;
  private final RetryingTransactions transactions;
  private final PauseStore pauses;
  private final Acts acts;
  private final Events events;
  private final TimedCache<Map<TaskType, TaskTypeConfig>> types;
  private final Set<String> ignored = new HashSet<>(); // used only by the thread that reads

  @Autowired
  TaskTypes(
      TaskTypeRows rows,
      RetryingTransactions transactions,
      PauseStore pauses,
      Acts acts,
      Events events,
      Node node,
      @Value("${flow.max-types:1000}") int maxTypes) {
    this(rows, transactions, pauses, acts, events, node::nanoTime, maxTypes);
  }

  /**
   * @param maxTypes the most types that can be created; each has at least one table
   */
  TaskTypes(
      TaskTypeRows rows,
      RetryingTransactions transactions,
      PauseStore pauses,
      Acts acts,
      Events events,
      LongSupplier nanoTime,
      int maxTypes) {
    this.maxTypes = maxTypes;
    this.rows = rows;
    this.transactions = transactions;
    this.pauses = pauses;
    this.acts = acts;
    this.events = events;
    this.types = new TimedCache<>(Map.of(), this::read, nanoTime);
  }

  /**
   * The configuration of a type that a client names. Finds every type that was inserted before this
   * call, by a new read if necessary.
   *
   * @throws NoSuchTaskTypeException if the type is not configured
   */
  public TaskTypeConfig require(TaskType type) {
    return Optional.ofNullable(types.recentIf(known -> known.containsKey(type)).get(type))
        .orElseThrow(() -> new NoSuchTaskTypeException(type));
  }

  /**
   * Refuses names that no configured type has; finds types as {@link #require}.
   *
   * @param names valid names of types
   * @throws NoSuchTaskTypeException for the first of them
   */
  public void requireAll(Collection<String> names) {
    names.forEach(name -> require(TaskType.parse(name).orElseThrow()));
  }

  /**
   * The configuration of a type; empty if the type is not configured. Never waits for a new read,
   * so a call with a thousand forged ids is cheap; in return it may miss a type that was inserted a
   * moment ago.
   */
  public Optional<TaskTypeConfig> find(TaskType type) {
    TaskTypeConfig known = types.recent().get(type);
    return Optional.ofNullable(known != null ? known : types.fresh(ALMOST_NOW).get(type));
  }

  /**
   * The configuration of a type as it was read last; needs no connection if it was ever read. For
   * heartbeats, which must not wait for the shared connection pool. The sweep causes a read every
   * second.
   */
  public Optional<TaskTypeConfig> known(TaskType type) {
    return types.known().map(known -> known.get(type)).or(() -> find(type));
  }

  /**
   * The configuration of a type as it was read last, even if this server has changed it since;
   * empty if it was never read. Reads nothing, so a callback may ask while the database is lost.
   */
  public Optional<TaskTypeConfig> lastKnown(TaskType type) {
    return Optional.ofNullable(types.lastKnown().get(type));
  }

  /**
   * Whether any type, as they were read last, is like this; needs no connection if they were ever
   * read.
   */
  public boolean anyKnown(Predicate<TaskTypeConfig> like) {
    return types.known().orElseGet(types::recent).values().stream().anyMatch(like);
  }

  /** All types, by name; at most a second old, or older while the database does not answer. */
  public List<TaskTypeConfig> all() {
    return List.copyOf(types.recent().values());
  }

  /**
   * All types, by name; throws if the database does not answer.
   *
   * @param maxAge how old the result may be, so that callers share reads; zero for a read after
   *     this call began
   */
  List<TaskTypeConfig> allOrThrow(Duration maxAge) {
    return List.copyOf(types.fresh(maxAge).values());
  }

  /** Creates a type that the server itself needs, or changes it. */
  public void saveOwn(TaskTypeSettings settings) {
    save(new TaskTypeForm(settings, Set.of(), null, false, Reason.NONE), acts::recordOwn);
  }

  /**
   * Creates a type or changes one for a caller, ignoring case; an existing one keeps its spelling,
   * unless the form says otherwise. In effect on this server when the call returns, and on every
   * other server within a second.
   *
   * @throws FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if the type is new and there are
   *     too many types, with {@link ErrorCode#CHANGED_MEANWHILE} if it is not the expected one
   */
  void save(TaskTypeForm form) {
    save(form, act -> acts.record(act.by(form.why())));
  }

  private void save(TaskTypeForm form, Consumer<Act> record) {
    TaskTypeSettings settings = form.settings();
    transactions.execute(
        () -> {
          Optional<TaskTypeConfig> known = rows.findLocked(settings.taskType());
          form.requireExpected(known.map(TaskTypeConfig::toSettings));
          TaskTypeSettings before = known.map(TaskTypeConfig::toSettings).orElse(null);
          TaskTypeConfig row =
              known
                  .map(found -> form.respells() ? respelled(found, settings.taskType()) : found)
                  .orElseGet(() -> created(settings.taskType()));
          boolean wasPaused = row.paused();
          row.change(settings);
          form.removed().forEach(row::remove);
          record(row, before, record);
          if (settings.paused() != null) {
            recordPause(PausedName.ofType(row.type()), wasPaused, row.paused(), form.why());
          }
          return row;
        });
    types.outdated();
    if (settings.paused() != null) {
      events.publish(PausesChanged.HERE);
    }
  }

  /**
   * @param before {@code null} of a new type
   */
  private static void record(TaskTypeConfig row, TaskTypeSettings before, Consumer<Act> record) {
    String object = "type:" + row.type();
    TaskTypeSettings after = row.toSettings();
    if (before == null) {
      record.accept(Act.of("CREATE", object).with(Map.of("after", after)));
      return;
    }
    Change change = Change.between(before, after);
    if (!change.isEmpty()) {
      record.accept(Act.of("SAVE", object).with(change));
    }
  }

  private void recordPause(PausedName type, boolean wasPaused, boolean paused, Reason why) {
    boolean goesOn = wasPaused && paused;
    if (goesOn && pauses.lock(type).filter(pause -> pause.until() == null).isPresent()) {
      return; // a save of all settings tells nothing new
    }
    if (!goesOn) {
      pauses.delete(type); // also one whose flag was taken away by SQL
    }
    if (paused) {
      pauses.put(type, null, why);
    }
  }

  /**
   * Decides whether a type is paused, with the type's row locked.
   *
   * @param decide from whether it is paused to whether it shall be; with further work in the
   *     transaction
   * @throws NoSuchTaskTypeException if the type is not configured
   */
  public void changePause(TaskType type, UnaryOperator<Boolean> decide) {
    transactions.execute(
        () -> {
          TaskTypeConfig row =
              rows.findLocked(type.name()).orElseThrow(() -> new NoSuchTaskTypeException(type));
          row.setPaused(decide.apply(row.paused()));
          return row;
        });
    types.outdated();
  }

  private TaskTypeConfig respelled(TaskTypeConfig row, String taskType) {
    if (row.spelling().equals(taskType)) {
      return row;
    }
    rows.respell(taskType);
    return rows.findLocked(taskType).orElseThrow();
  }

  private TaskTypeConfig created(String taskType) {
    if (rows.count() >= maxTypes) {
      throw new FlowException(
          ErrorCode.LIMIT_EXCEEDED,
          "there are " + maxTypes + " task types; start the servers with --flow.max-types=n");
    }
    rows.insertDefaults(taskType);
    return rows.findLocked(taskType).orElseThrow();
  }

  private Map<TaskType, TaskTypeConfig> read() {
    List<TaskTypeConfig> found = rows.findAll();
    Map<TaskType, TaskTypeConfig> types = new TreeMap<>(Comparator.comparing(TaskType::name));
    List<String> invalid = new ArrayList<>();
    for (TaskTypeConfig row : found) {
      TaskType.parse(row.spelling())
          .ifPresentOrElse(type -> types.put(type, row), () -> invalid.add(row.spelling()));
    }
    ignored.retainAll(invalid);
    for (String name : invalid) {
      if (ignored.add(name)) {
        log.warn("t_schedule_cfg has a row '{}', which is not a valid task type; ignored", name);
      }
    }
    return types;
  }
}
