package io.asyncflow.flowsvr.hook.core;

import io.asyncflow.flowsvr.system.Node;
import java.time.Duration;
import java.util.List;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * The hooks, for those who look at them each second; a system without hooks pays one statement each
 * ten seconds. Thread-safe.
 */
@Component
public class HooksInUse {

  private static final Duration PROBE_INTERVAL = Duration.ofSeconds(10);

  private final HookStore store;
  private final Node node;
  private volatile boolean isInUse = true;
  private volatile long lastProbe;

  HooksInUse(HookStore store, Node node) {
    this.store = store;
    this.node = node;
  }

  /** All hooks as they are now; also empty if there were none a few seconds ago. */
  public List<HookRow> all() {
    long now = node.nanoTime();
    if (!isInUse && now - lastProbe < PROBE_INTERVAL.toNanos()) {
      return List.of();
    }
    lastProbe = now;
    List<HookRow> hooks = store.all();
    isInUse = !hooks.isEmpty();
    return hooks;
  }

  @EventListener
  public void on(HooksChanged news) {
    isInUse = true;
  }
}
