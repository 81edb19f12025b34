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
 * Reads the configuration of the types again and again, so that a change takes effect without a
 * restart, and so that a worker may be started before the server or the type.
 */
public final class TypeSettingsFeed implements Loop.Step {

  private static final Logger log = LoggerFactory.getLogger(TypeSettingsFeed.class);
  private static final Duration INTERVAL = Duration.ofMinutes(1);
  private static final Duration INTERVAL_WHILE_A_TYPE_IS_MISSING = Duration.ofSeconds(1);

  /** What the workers of a server share, so that a fleet does not have it read all the time. */
  private static final Duration MAX_AGE = Duration.ofSeconds(5);

  /** How much of an interval chance may take away. */
  private static final double CHANCE = 0.2;

  private final FlowClient client;
  private final Set<String> wanted;
  private final Backoff backoff;
  private final Jitter jitter;
  private final OutageLog outage;
  private final Set<String> missing = new HashSet<>();
  private final List<Runnable> changed = new CopyOnWriteArrayList<>();
  private volatile Map<String, TypeLimits> limits = Map.of();

  /**
   * @param wanted the types of this worker, in lower case
   */
  public TypeSettingsFeed(
      FlowClient client, Set<String> wanted, Backoff backoff, Jitter jitter, Link link) {
    this.client = client;
    this.wanted = wanted;
    this.backoff = backoff;
    this.jitter = jitter;
    this.outage = new OutageLog(log, "configuration of the types", link);
  }

  /** {@code null} as long as the type, or the server, is not there. */
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
      return jitter.shorten(interval, CHANCE);
    } catch (FlowException e) {
      outage.failed(
          e.errorCode().name(), e.getMessage(), "what was read last stays, and it is tried again");
      return backoff.next();
    }
  }

  private void take(List<TaskTypeSettings> types) {
    Map<String, TypeLimits> read = new HashMap<>();
    for (TaskTypeSettings type : types) {
      String name = type.taskType().toLowerCase(Locale.ROOT);
      if (wanted.contains(name)) {
        read.put(name, TypeLimits.of(type));
      }
    }
    for (String type : wanted) {
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
