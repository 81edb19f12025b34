package io.asyncflow.flowsvr.tasktype;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.concurrent.TimedCache;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * The configured task types, looked up in memory.
 *
 * <p>All rows are read in one statement: for known types when what is {@link TimedCache} is old.
 * For an unknown one they are read anew at once, since it may have been inserted by SQL a moment
 * ago; a flood of unknown names shares its readings.
 *
 * <p>Thread-safe.
 */
@Component
public class TaskTypes {

  private static final Logger log = LoggerFactory.getLogger(TaskTypes.class);

  private final int most;
  private final TaskTypeRows rows;
  private final RetryingTransactions transactions;
  private final TimedCache<Map<TaskType, TaskTypeConfig>> types;
  private final Set<String> ignored = new HashSet<>(); // touched only by the one that reads

  @Autowired
  TaskTypes(
      TaskTypeRows rows,
      RetryingTransactions transactions,
      Node node,
      @Value("${flow.max-types:1000}") int most) {
    this(rows, transactions, node::nanoTime, most);
  }

  /**
   * @param most how many types there may be; each has a table at least
   */
  TaskTypes(TaskTypeRows rows, RetryingTransactions transactions, LongSupplier nanoTime, int most) {
    this.most = most;
    this.rows = rows;
    this.transactions = transactions;
    this.types = new TimedCache<>(Map.of(), this::read, nanoTime);
  }

  /**
   * The configuration of a type that a client names: one that was inserted before this call is
   * found, even if that takes a new look.
   *
   * @throws NoSuchTaskTypeException if it has none
   */
  public TaskTypeConfig require(TaskType type) {
    return Optional.ofNullable(types.recentIf(known -> known.containsKey(type)).get(type))
        .orElseThrow(() -> new NoSuchTaskTypeException(type));
  }

  /**
   * The configuration of a type, empty if it has none. Never waits for a new look's turn, so it may
   * be asked for the types of a thousand forged ids; in return it can miss one that was inserted
   * within the last blink.
   */
  public Optional<TaskTypeConfig> find(TaskType type) {
    TaskTypeConfig known = types.recent().get(type);
    return Optional.ofNullable(known != null ? known : types.almostCurrent().get(type));
  }

  /**
   * The configuration of a type as it was when somebody read it last, without a connection if it
   * was read at all. For heartbeats, which must not wait for the pool that all others wait for; the
   * sweep sees to it that the types are read every second.
   */
  public Optional<TaskTypeConfig> known(TaskType type) {
    return types.known().map(known -> known.get(type)).or(() -> find(type));
  }

  /** Every type, by name; at most a second old, or older while the database does not answer. */
  public List<TaskTypeConfig> all() {
    return List.copyOf(types.recent().values());
  }

  /**
   * The same as the database has it, but an error where the database does not answer.
   *
   * @param maxAge how old it may be, so that many who ask share a reading; zero: read after this
   *     call came
   */
  List<TaskTypeConfig> allOrThrow(Duration maxAge) {
    return List.copyOf(types.fresh(maxAge).values());
  }

  /**
   * Makes a type or changes one, matched without regard to case; an existing one keeps its
   * spelling. In force here when it returns, and within a second on every other server.
   *
   * @param settings what is {@code null} stays, or has its default in a new type
   * @param removesMaxRetryInterval sets that one to {@code null}, which {@code settings} cannot say
   * @throws FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if it is new, and there are enough
   */
  void save(TaskTypeSettings settings, boolean removesMaxRetryInterval) {
    transactions.execute(
        () -> {
          TaskTypeConfig row = lockedRow(settings.taskType());
          row.change(settings);
          if (removesMaxRetryInterval) {
            row.removeMaxRetryInterval();
          }
          return row;
        });
    types.outdated();
  }

  private TaskTypeConfig lockedRow(String taskType) {
    return rows.findLocked(taskType)
        .orElseGet(
            () -> {
              if (rows.count() >= most) {
                throw new FlowException(
                    ErrorCode.LIMIT_EXCEEDED,
                    "there are " + most + " task types; start the servers with --flow.max-types=n");
              }
              rows.insertDefaults(taskType);
              return rows.findLocked(taskType).orElseThrow();
            });
  }

  private Map<TaskType, TaskTypeConfig> read() {
    List<TaskTypeConfig> found = rows.findAll();
    Map<TaskType, TaskTypeConfig> types = new TreeMap<>(Comparator.comparing(TaskType::name));
    List<String> nonsense = new ArrayList<>();
    for (TaskTypeConfig row : found) {
      TaskType.parse(row.spelling())
          .ifPresentOrElse(type -> types.put(type, row), () -> nonsense.add(row.spelling()));
    }
    ignored.retainAll(nonsense);
    for (String name : nonsense) {
      if (ignored.add(name)) {
        log.warn("t_schedule_cfg has a row '{}', which no task type can be called; ignored", name);
      }
    }
    return types;
  }
}
