package io.asyncflow.flowsvr.hook;

import io.asyncflow.flowsvr.duty.Feature;
import io.asyncflow.flowsvr.duty.FeaturesInUse;
import java.util.List;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** The hooks, for those who look at them each second. Thread-safe. */
@Component
class HooksInUse {

  private static final Feature HOOKS = new Feature("t_hook");

  private final HookStore store;
  private final FeaturesInUse features;

  HooksInUse(HookStore store, FeaturesInUse features) {
    this.store = store;
    this.features = features;
  }

  /** All hooks as they are now; also empty if there were none a few seconds ago. */
  List<HookRow> all() {
    return features.has(HOOKS) ? store.all() : List.of();
  }

  @EventListener
  void on(HooksChanged news) {
    features.changed();
  }
}
