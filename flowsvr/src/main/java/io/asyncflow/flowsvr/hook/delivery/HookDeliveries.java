package io.asyncflow.flowsvr.hook.delivery;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.hold.TaskHolds;
import io.asyncflow.flowsvr.hook.core.HookRow;
import io.asyncflow.flowsvr.hook.core.HooksChanged;
import io.asyncflow.flowsvr.hook.core.HooksInUse;
import io.asyncflow.flowsvr.hook.core.StoredHookState;
import io.asyncflow.flowsvr.hook.egress.HookClient;
import io.asyncflow.flowsvr.report.ParsedReport;
import io.asyncflow.flowsvr.report.TaskReporter;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.system.concurrent.DaemonThreads;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Runs a {@link HookWorker} for each hook that wants deliveries, and for each deleted one whose
 * tasks are to be ended. Looks at the hooks once a second.
 */
@Component
class HookDeliveries implements ApplicationListener<ApplicationReadyEvent>, DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(HookDeliveries.class);
  private static final Duration LOOK_INTERVAL = Duration.ofSeconds(1);
  private static final int IDLE_SECONDS = 30;

  private final HooksInUse hooks;
  private final TaskHolds holds;
  private final TaskReporter reporter;
  private final Delivery delivery;
  private final HookHealth health;
  private final HookClient client;
  private final String workerId;
  private final boolean isWanted;
  private final ThreadPoolExecutor threads;
  private final Map<Long, HookWorker> workers = new HashMap<>(); // used by the loop alone
  private BackgroundLoop loop;
  private volatile boolean isStopping;

  HookDeliveries(
      HooksInUse hooks,
      TaskHolds holds,
      TaskReporter reporter,
      Delivery delivery,
      HookHealth health,
      HookClient client,
      Node node,
      @Value("${flow.hooks.deliver:true}") boolean isWanted) {
    this.hooks = hooks;
    this.holds = holds;
    this.reporter = reporter;
    this.delivery = delivery;
    this.health = health;
    this.client = client;
    this.workerId = "hooks-" + node.id();
    this.isWanted = isWanted;
    // As many threads as tasks run: the workers limit these.
    this.threads =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            DaemonThreads.named("hook"),
            new DiscardPolicy());
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent ready) {
    if (isWanted) {
      loop = BackgroundLoop.start("hook-deliveries", LOOK_INTERVAL, this::runOnce);
    }
  }

  @EventListener
  public void on(HooksChanged news) {
    if (loop != null) {
      loop.runSoon();
    }
  }

  private void runOnce() {
    Map<Long, HookRow> wanted = new HashMap<>();
    for (HookRow hook : hooks.all()) {
      if (hook.state() == StoredHookState.ACTIVE || hook.state() == StoredHookState.DELETED) {
        wanted.put(hook.id(), hook);
      }
    }
    workers.forEach(
        (id, worker) -> {
          if (!wanted.containsKey(id)) {
            worker.stop();
          }
        });
    workers.keySet().retainAll(wanted.keySet());
    wanted.forEach(
        (id, hook) ->
            workers
                .computeIfAbsent(id, key -> new HookWorker(holds, workerId, threads, this::run))
                .update(hook));
  }

  private void run(HookRow hook, Task task) {
    try {
      reporter.report(List.of(ParsedReport.of(end(hook, task))));
    } catch (RuntimeException e) {
      log.warn(
          "{}: the end of delivery {} was not written; it is repeated after its lease",
          hook,
          task.taskId(),
          e);
    }
  }

  private Report end(HookRow hook, Task task) {
    if (hook.state() == StoredHookState.DELETED) {
      return report(task, Outcome.FAIL).withErrMsg("the hook was deleted");
    }
    Verdict verdict = delivery.attempt(hook, task);
    if (isStopping && verdict.kind() == Verdict.Kind.FAILED) {
      return report(task, Outcome.RELEASE).withErrMsg("the server stopped");
    }
    health.record(hook.id(), verdict);
    return switch (verdict.kind()) {
      case DELIVERED -> report(task, Outcome.SUCCESS);
      case FAILED ->
          report(task, Outcome.RETRY)
              .withErrMsg(verdict.error())
              .withRetryAfterMs(verdict.retryAfterMs());
      case GONE -> report(task, Outcome.FAIL).withErrMsg(verdict.error());
    };
  }

  private Report report(Task task, Outcome outcome) {
    return Report.of(task.taskId(), workerId, task.leaseEpoch(), outcome);
  }

  /** Lets deliveries under way end for two seconds, then cuts them off and releases their tasks. */
  @Override
  public void destroy() throws InterruptedException {
    if (loop != null) {
      loop.close();
    }
    workers.values().forEach(HookWorker::stop);
    threads.shutdown();
    if (!threads.awaitTermination(2, TimeUnit.SECONDS)) {
      isStopping = true;
      client.close();
      threads.awaitTermination(2, TimeUnit.SECONDS);
    }
  }
}
