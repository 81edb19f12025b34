package io.asyncflow.spring;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.OneLine;
import io.asyncflow.api.RecordCopy;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.TypeSetting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Saves the task types that the application declares, once, in the background. A type whose
 * declared settings are already those of the server is not written. Settings that are not declared
 * stay as they are. While the server is away, the save is repeated; a type that the server refuses
 * is logged as an error. The record of acts has the name of the application as the reason of a
 * save.
 */
public class TaskTypeSaver implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(TaskTypeSaver.class);

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  private final FlowClient client;
  private final List<TaskTypeSettings> pending;
  private final String reason;
  private ScheduledExecutorService thread;
  private boolean outageIsLogged;

  /**
   * @param application the name of the application; {@code null} for none
   */
  TaskTypeSaver(FlowClient client, List<TaskTypeSettings> types, String application) {
    this.client = client;
    this.reason =
        application == null
            ? "declared by an application"
            : "declared by the application " + OneLine.of(application);
    this.pending = new ArrayList<>(types);
  }

  @Override
  public synchronized void start() {
    if (thread == null && !pending.isEmpty()) {
      thread = Executors.newSingleThreadScheduledExecutor(TaskTypeSaver::newThread);
      thread.execute(() -> save(FIRST_PAUSE));
    }
  }

  private static Thread newThread(Runnable task) {
    Thread thread = new Thread(task, "asyncflow-task-types");
    thread.setDaemon(true);
    return thread;
  }

  private void save(Duration pause) {
    try {
      saveAll();
      end();
    } catch (FlowException e) {
      if (!outageIsLogged) {
        outageIsLogged = true;
        log.warn(
            "{} task types are not saved yet, and it is tried again: {}",
            pending.size(),
            OneLine.of(e.getMessage()));
      }
      repeatAfter(pause);
    } catch (RuntimeException e) {
      log.error("the task types are not saved; the application runs without them", e);
      end();
    }
  }

  private synchronized void repeatAfter(Duration pause) {
    Duration doubled = pause.multipliedBy(2);
    Duration next = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    if (isRunning()) {
      thread.schedule(() -> save(next), pause.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private synchronized void end() {
    thread.shutdown();
  }

  /**
   * @throws FlowException if the server does not answer, or not now
   */
  void saveAll() {
    List<TaskTypeSettings> present = client.taskTypes();
    for (Iterator<TaskTypeSettings> next = pending.iterator(); next.hasNext(); next.remove()) {
      TaskTypeSettings declared = next.next();
      boolean isThere =
          present.stream()
              .filter(type -> type.taskType().equalsIgnoreCase(declared.taskType()))
              .anyMatch(type -> hasAllOf(type, declared));
      if (isThere) {
        log.debug("task type {} is unchanged", declared.taskType());
      } else {
        save(declared);
      }
    }
  }

  private void save(TaskTypeSettings declared) {
    try {
      client.saveTaskType(declared, Set.of(), null, reason);
      log.info("task type {} is saved", declared.taskType());
    } catch (FlowException e) {
      if (e.errorCode().retryable()) {
        throw e;
      }
      log.error(
          "task type {} is not saved, because flowsvr refuses it: {}; correct its declaration and"
              + " restart the application",
          OneLine.of(declared.taskType()),
          OneLine.of(e.getMessage()));
    }
  }

  private static boolean hasAllOf(TaskTypeSettings type, TaskTypeSettings declared) {
    return RecordCopy.valuesOf(type).entrySet().containsAll(TypeSetting.given(declared).entrySet());
  }

  @Override
  public synchronized void stop() {
    if (thread != null) {
      thread.shutdownNow();
    }
  }

  @Override
  public synchronized boolean isRunning() {
    return thread != null && !thread.isShutdown();
  }

  /** Before what uses the types. */
  @Override
  public int getPhase() {
    return 0;
  }
}
