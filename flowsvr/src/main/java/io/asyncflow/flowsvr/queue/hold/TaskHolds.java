package io.asyncflow.flowsvr.queue.hold;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.flowsvr.base.system.redis.ClusterEvent;
import io.asyncflow.flowsvr.edge.web.read.InvalidFieldException;
import io.asyncflow.flowsvr.queue.claim.Hold;
import io.asyncflow.flowsvr.queue.claim.ParkedHolds;
import io.asyncflow.flowsvr.queue.claim.TaskClaimer;
import io.asyncflow.flowsvr.queue.claim.TaskClaimer.ClaimResult;
import io.asyncflow.flowsvr.queue.due.DueReader;
import io.asyncflow.flowsvr.queue.due.HoldDemand;
import io.asyncflow.flowsvr.queue.hold.HoldQueue.KeptHolds;
import io.asyncflow.flowsvr.queue.report.TaskReporter;
import io.asyncflow.flowsvr.task.pause.Paused;
import io.asyncflow.flowsvr.task.pause.PausesChanged;
import io.asyncflow.flowsvr.task.pause.PausesInForce;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.flowsvr.task.type.NoSuchTaskTypeException;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Service;

/**
 * Gives holds their tasks: at once if tasks are due, otherwise when tasks become due, if the caller
 * waits.
 *
 * <p>All holds of a type that name stages share one {@link HoldQueue}, and those that name none
 * share another: finding the stages of a type takes long if there are many, and a hold that names
 * its stages need not wait for that. A parked hold occupies no thread, connection or transaction. A
 * queue claims again after news of waiting tasks, from this server or another; when the next known
 * task is due; and when the scan has found a task.
 *
 * <p>Thread-safe.
 */
@Service
public class TaskHolds implements HoldDemand, ParkedHolds, DisposableBean {

  private static final int OF_STAGES = 0;
  private static final int OF_ANY_STAGE = 1;

  /** For so long, a client that has asked for tasks is believed to ask again. */
  private static final Duration UNNAMED_FOR = Duration.ofMinutes(2);

  private final TaskTypes types;
  private final TaskClaimer claimer;
  private final DueReader dueLook;
  private final TaskReporter reporter;
  private final OpenHolds open;
  private final HoldThreads threads;
  private final PausesInForce pauses;
  private final TaskMeters meters;
  private final Node node;

  /** Of each type the queue of the holds that name stages, and that of the others. */
  private final Map<TaskType, List<HoldQueue>> queues = new ConcurrentHashMap<>();

  /** {@link System#nanoTime()} of the last hold without a worker id, by type. */
  private final Map<TaskType, Long> unnamed = new ConcurrentHashMap<>();

  TaskHolds(
      TaskTypes types,
      TaskClaimer claimer,
      DueReader dueLook,
      TaskReporter reporter,
      OpenHolds open,
      PausesInForce pauses,
      TaskMeters meters,
      Node node) {
    this.types = types;
    this.claimer = claimer;
    this.dueLook = dueLook;
    this.reporter = reporter;
    this.open = open;
    this.threads = new HoldThreads();
    this.pauses = pauses;
    this.meters = meters;
    this.node = node;
    meters.show("holds.parked", "holds that wait for work", this::parked);
  }

  /**
   * Holds due tasks. The result has the tasks after the hold, in due order; it is empty if nothing
   * became due in time. The future is cancelled when its caller is gone, when the worker is to
   * drain, or when the server stops; then no tasks are given.
   *
   * @throws NoSuchTaskTypeException if the type is not configured
   * @throws InvalidFieldException if {@linkplain #refuseIfUnheard the worker has to be named}
   */
  public CompletableFuture<List<Task>> hold(Hold hold) {
    long begin = node.nanoTime();
    // A hold that waits costs no statement if the type is known; its queue checks the type in time.
    Optional<TaskTypeConfig> known = hold.waits() ? types.known(hold.type()) : Optional.empty();
    refuseIfUnheard(hold, known.orElseGet(() -> types.require(hold.type())));
    if (hold.workerId().isEmpty()) {
      unnamed.put(hold.type(), begin);
    }
    CompletableFuture<List<Task>> tasks = queueOf(hold).join(hold);
    open.add(hold, tasks);
    tasks.whenComplete(
        (held, failure) -> {
          if (failure == null && !held.isEmpty()) {
            Duration waited = Duration.ofNanos(node.nanoTime() - begin);
            meters.held(hold.type().name(), waited);
          }
        });
    return tasks;
  }

  /** Whether a client without a worker id has asked this server for tasks of the type lately. */
  public boolean hasUnnamedPollers(TaskType type) {
    Long last = unnamed.get(type);
    return last != null && node.nanoTime() - last < UNNAMED_FOR.toNanos();
  }

  /** Whether the hold's worker is paused, as far as is known; reads nothing. */
  boolean isPaused(Hold hold) {
    return pauses.lastKnown().hasWorker(hold.workerId());
  }

  /** Something was paused or resumed. */
  @EventListener
  void onPauses(PausesChanged news) {
    queues.values().forEach(ofType -> ofType.forEach(HoldQueue::news));
  }

  /** Without heartbeats, a task of a resident type would stay with a dead holder for years. */
  static void refuseIfUnheard(Hold hold, TaskTypeConfig type) {
    if (hold.workerId().isEmpty() && type.isResident()) {
      throw new InvalidFieldException(
          "workerId",
          "is required for type "
              + hold.type().name()
              + ", whose max_processing_time is more than 30 days");
    }
  }

  /** Releases the tasks of an answer that could not be delivered, if there are any. */
  void release(CompletableFuture<List<Task>> undelivered) {
    if (undelivered.isDone()
        && !undelivered.isCompletedExceptionally()
        && !undelivered.join().isEmpty()) {
      reporter.release(undelivered.join());
    }
  }

  @Bean
  static ClusterEvent.Kind waitingNews() {
    return new ClusterEvent.Kind("waiting", TasksWaiting.class, TasksWaiting::ofLine);
  }

  /** Tasks of this type may have become claimable: due now or later. */
  @EventListener
  void on(TasksWaiting news) {
    dueLook.on(news); // before the queues claim
    queuesOf(news.type()).forEach(HoldQueue::news);
  }

  @Override
  public Map<TaskType, Wanted> wanted() {
    Paused paused = pauses.lately();
    Map<TaskType, Wanted> wanted = new HashMap<>();
    queues.forEach(
        (type, ofType) -> {
          boolean isAnyWaiting = ofType.stream().anyMatch(queue -> queue.size() > 0);
          if (isAnyWaiting && !paused.hasType(type)) {
            boolean anyStage = ofType.get(OF_ANY_STAGE).size() > 0;
            wanted.put(
                type, new Wanted(ofType.get(OF_STAGES).stages(), anyStage, paused.stagesOf(type)));
          }
        });
    return wanted;
  }

  @Override
  public Set<String> workers(TaskType type) {
    return queuesOf(type).stream().flatMap(queue -> queue.workers().stream()).collect(toSet());
  }

  @Override
  public void dueIn(TaskType type, long inMs) {
    queuesOf(type).forEach(queue -> queue.dueIn(inMs));
  }

  @Override
  public Kept keep(TaskTypeConfig type, Predicate<Hold> wanted, int most) {
    List<HoldQueue> ofType = queuesOf(type.type());
    if (ofType.isEmpty() || ofType.get(OF_ANY_STAGE).size() > 0) {
      return Kept.NONE;
    }
    KeptHolds kept = ofType.get(OF_STAGES).keep(wanted, most);
    return new Kept() {
      @Override
      public List<Hold> holds() {
        return kept.holds();
      }

      @Override
      public void answer(List<List<TaskRow>> shares) {
        kept.answer(shares.stream().map(rows -> toTasks(rows, type)).toList());
      }

      @Override
      public void free() {
        kept.free();
      }
    };
  }

  /** The number of parked holds. */
  public int parked() {
    return queues.values().stream().flatMap(List::stream).mapToInt(HoldQueue::parked).sum();
  }

  private List<HoldQueue> queuesOf(TaskType type) {
    return queues.getOrDefault(type, List.of());
  }

  private HoldQueue queueOf(Hold hold) {
    return queues
        .computeIfAbsent(hold.type(), type -> List.of(newQueue(type), newQueue(type)))
        .get(hold.stages().isEmpty() ? OF_ANY_STAGE : OF_STAGES);
  }

  private HoldQueue newQueue(TaskType type) {
    return new HoldQueue(
        line -> {
          // Before the claim: its tasks would be lost if reading the types failed after it.
          TaskTypeConfig config =
              types.known(type).orElseThrow(() -> new NoSuchTaskTypeException(type));
          ClaimResult<TaskRow> claim = claimer.claim(type, line, pauses.lately());
          return new ClaimResult<>(
              claim.rows().stream().map(ofHold -> toTasks(ofHold, config)).toList(),
              claim.againInMs(),
              claim.complete());
        },
        hold ->
            dueLook.quietForMs(
                type, hold.stages(), hold.workerId(), pauses.lately().stagesOf(type)),
        reporter::release,
        threads,
        node::nanoTime);
  }

  private List<Task> toTasks(List<TaskRow> rows, TaskTypeConfig type) {
    for (TaskRow row : rows) {
      if (row.fire() != null && row.leaseEpoch() == 1) {
        meters.started(row.id().type().name(), row.now() - row.fire().fireTime());
      }
    }
    return rows.stream().map(row -> row.toTask(type)).toList();
  }

  @Override
  public void destroy() {
    threads.close();
  }
}
