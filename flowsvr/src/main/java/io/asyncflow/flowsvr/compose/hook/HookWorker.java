package io.asyncflow.flowsvr.compose.hook;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.queue.claim.Hold;
import io.asyncflow.flowsvr.queue.hold.TaskHolds;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

/**
 * Holds the tasks of one hook and runs at most two of them at once, so that a slow endpoint keeps
 * only deliveries of its own waiting. Thread-safe.
 */
final class HookWorker {

  static final int SLOTS = 2;

  private static final Duration WAIT = Duration.ofSeconds(30);

  private final TaskHolds holds;
  private final String workerId;
  private final Executor threads;
  private final BiConsumer<HookRow, Task> run;

  // Guarded by this.
  private HookRow hook;
  private int running;
  private boolean isHolding;
  private boolean isStopped;
  private CompletableFuture<List<Task>> parked = CompletableFuture.completedFuture(List.of());

  /**
   * @param run runs a task that was held
   */
  HookWorker(TaskHolds holds, String workerId, Executor threads, BiConsumer<HookRow, Task> run) {
    this.holds = holds;
    this.workerId = workerId;
    this.threads = threads;
    this.run = run;
  }

  /** Takes note of the hook as it is now, and holds tasks if there is room for more. */
  synchronized void update(HookRow row) {
    hook = row;
    hold();
  }

  /** Holds no more tasks; those that run go on. */
  synchronized void stop() {
    isStopped = true;
    parked.cancel(false);
  }

  private void hold() {
    if (isStopped || isHolding || running == SLOTS) {
      return;
    }
    parked =
        holds.hold(
            new Hold(HookTasks.TYPE, SLOTS - running, workerId, WAIT, null, Set.of(hook.stage())));
    isHolding = true;
    // In a thread of its own, because the one that completes a hold serves all parked holds.
    parked.whenCompleteAsync((held, failure) -> taken(held), threads);
  }

  /**
   * @param held {@code null} if the hold failed; the next update repeats it
   */
  private synchronized void taken(List<Task> held) {
    isHolding = false;
    if (held != null && !held.isEmpty()) {
      running += held.size();
      HookRow row = hook;
      held.forEach(task -> threads.execute(() -> runOne(row, task)));
      hold();
    }
  }

  private void runOne(HookRow row, Task task) {
    try {
      run.accept(row, task);
    } finally {
      ended();
    }
  }

  private synchronized void ended() {
    running--;
    hold();
  }
}
