package io.asyncflow.worker.internal;

import io.asyncflow.worker.WorkerView.TypeView;
import io.asyncflow.worker.internal.execute.RunPool;
import io.asyncflow.worker.internal.loop.Loop;
import io.asyncflow.worker.internal.poll.TypePoller;
import io.asyncflow.worker.internal.run.HeldRuns;
import io.asyncflow.worker.internal.run.Run;
import java.util.List;

/** The parts of one type: a poller, its thread, and a pool. */
record TypePipeline(String taskType, TypePoller poller, Loop polling, RunPool pool) {

  void start() {
    polling.start();
  }

  /** Ends polling; returns the queued runs. */
  List<Run> stop() {
    poller.stop();
    return pool.close();
  }

  TypeView view(HeldRuns held) {
    int queued = pool.queued();
    int working = pool.working();
    int reporting = Math.max(0, held.count(taskType) - queued - working);
    return new TypeView(
        taskType,
        poller.state().name(),
        queued,
        working,
        reporting,
        pool.overdue(),
        pool.stuck().size(),
        poller.problem());
  }
}
