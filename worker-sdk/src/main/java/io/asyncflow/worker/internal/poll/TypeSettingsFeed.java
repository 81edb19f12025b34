package io.asyncflow.worker.internal.poll;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.worker.internal.loop.Backoff;
import io.asyncflow.worker.internal.loop.Jitter;
import io.asyncflow.worker.internal.loop.Link;
import io.asyncflow.worker.internal.loop.Loop;
import io.asyncflow.worker.internal.loop.OutageLog;
import io.asyncflow.worker.internal.run.TypeLimits;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the configuration of the types periodically, so that changes take effect without a restart,
 * and a worker may start before the server or the type exists.
 */
public final class TypeSettingsFeed implements Loop.Step {

  private static final Logger log = LoggerFactory.getLogger(TypeSettingsFeed.class);
  private static final Duration INTERVAL = Duration.ofMinutes(1);
  private static final Duration INTERVAL_WHILE_A_TYPE_IS_MISSING = Duration.ofSeconds(1);

  /**
   * The age of the server's cached configuration that is accepted, so that a fleet of workers does
   * not cause constant reads.
   */
  private static final Duration MAX_AGE = Duration.ofSeconds(5);

  /** The part of an interval by which jitter may shorten it. */
  private static final double JITTER = 0.2;

  private final FlowClient client;
  private final Set<String> taskTypes;
  private final Backoff backoff;
  private final Jitter jitter;
  private final OutageLog outage;
  private final Set<String> missing = new HashSet<>();
  private final List<Runnable> changed = new CopyOnWriteArrayList<>();
  private volatile Map<String, TypeLimits> limits = Map.of();

  /**
   * @param taskTypes the types of this worker, in lower case
   */
  public TypeSettingsFeed(
      FlowClient client, Set<String> taskTypes, Backoff backoff, Jitter jitter, Link link) {
    this.client = client;
    this.taskTypes = taskTypes;
    this.backoff = backoff;
    this.jitter = jitter;
    this.outage = new OutageLog(log, "configuration of the types", link);
  }

  /** The limits of the type; {@code null} while the type or the server is missing. */
  public TypeLimits limits(String taskType) {
    return limits.get(taskType);
  }

  public void whenChanged(Runnable listener) {
    changed.add(listener);
  }

  @Override
  public Duration runOnce() {
    try {
      take(client.taskTypes(missing.isEmpty() ? MAX_AGE : INTERVAL_WHILE_A_TYPE_IS_MISSING));
      backoff.reset();
      outage.worked();
      Duration interval = missing.isEmpty() ? INTERVAL : INTERVAL_WHILE_A_TYPE_IS_MISSING;
      return jitter.shorten(interval, JITTER);
    } catch (FlowException e) {
      outage.failed(
          e.errorCode().name(),
          e.getMessage(),
          limits.isEmpty()
              ? "no tasks are asked for until it works, and it is tried again"
              : "the last known values stay in use, and it is tried again");
      return backoff.next();
    }
  }

  private void take(List<TaskTypeSettings> types) {
    Map<String, TypeLimits> read = new HashMap<>();
    for (TaskTypeSettings type : types) {
      String name = type.taskType().toLowerCase(Locale.ROOT);
      if (taskTypes.contains(name)) {
        read.put(name, TypeLimits.of(type));
      }
    }
    for (String type : taskTypes) {
      if (read.containsKey(type)) {
        missing.remove(type);
      } else if (missing.add(type)) {
        log.warn("flowsvr has no task type '{}' yet; polling starts as soon as it has", type);
      }
    }
    if (!read.equals(limits)) {
      limits = Map.copyOf(read);
      changed.forEach(Runnable::run);
    }
  }
}
