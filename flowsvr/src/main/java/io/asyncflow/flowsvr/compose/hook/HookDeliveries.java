package io.asyncflow.flowsvr.compose.hook;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.base.duty.FeaturesInUse;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.base.system.concurrent.DaemonThreads;
import io.asyncflow.flowsvr.compose.hook.egress.HookClient;
import io.asyncflow.flowsvr.queue.hold.TaskHolds;
import io.asyncflow.flowsvr.queue.report.ParsedReport;
import io.asyncflow.flowsvr.queue.report.TaskReporter;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
import tools.jackson.databind.json.JsonMapper;

/**
 * Runs a {@link HookWorker} for each hook that wants deliveries, and for each deleted one whose
 * tasks are to be ended. Looks at the hooks once a second.
 */
@Component
class HookDeliveries implements ApplicationListener<ApplicationReadyEvent>, DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(HookDeliveries.class);
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Set<StoredHookState> WANTED =
      EnumSet.of(StoredHookState.ACTIVE, StoredHookState.DELETED);
  private static final Duration LOOK_INTERVAL = Duration.ofSeconds(1);
  private static final int IDLE_SECONDS = 30;

  private final HookStore hooks;
  private final FeaturesInUse features;
  private final TaskHolds holds;
  private final TaskReporter reporter;
  private final HookHealth health;
  private final HookClient client;
  private final String workerId;
  private final boolean isWanted;
  private final ThreadPoolExecutor threads;
  private final Map<Long, HookWorker> workers = new HashMap<>(); // used by the loop alone
  private BackgroundLoop loop;
  private volatile boolean isStopping;

  HookDeliveries(
      HookStore hooks,
      FeaturesInUse features,
      TaskHolds holds,
      TaskReporter reporter,
      HookHealth health,
      HookClient client,
      Node node,
      @Value("${flow.hooks.deliver:true}") boolean isWanted) {
    this.hooks = hooks;
    this.features = features;
    this.holds = holds;
    this.reporter = reporter;
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
  void on(HooksChanged news) {
    features.changed();
    if (loop != null) {
      loop.runSoon();
    }
  }

  private void runOnce() {
    List<HookRow> all = features.has(HookStore.HOOKS) ? hooks.all() : List.of();
    List<HookRow> wanted = all.stream().filter(hook -> WANTED.contains(hook.state())).toList();
    Set<Long> ids = wanted.stream().map(HookRow::id).collect(toSet());
    workers.forEach(
        (id, worker) -> {
          if (!ids.contains(id)) {
            worker.stop();
          }
        });
    workers.keySet().retainAll(ids);
    wanted.forEach(
        hook ->
            workers
                .computeIfAbsent(
                    hook.id(), id -> new HookWorker(holds, workerId, threads, this::run))
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
    Verdict verdict = attempt(hook, task);
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

  /** Sends the context of a task that was held just now, as Standard Webhooks specifies. */
  private Verdict attempt(HookRow hook, Task task) {
    String body = task.taskContext();
    String id = "evt_" + JSON.readTree(body).path("id").asString();
    long heldAt = task.modifyTime(); // by the database's clock, which is the only one
    String signatures =
        hook.secrets(heldAt).stream()
            .map(secret -> secret.sign(id, heldAt / 1_000, body))
            .collect(joining(" "));
    try {
      return Verdict.of(
          client.post(
              hook.url(),
              Map.of(
                  "webhook-id", id,
                  "webhook-timestamp", Long.toString(heldAt / 1_000),
                  "webhook-signature", signatures),
              body));
    } catch (IOException e) {
      return Verdict.of(e);
    }
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
