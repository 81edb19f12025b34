package io.asyncflow.flowsvr.compose.hook;

import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.event.log.EventLog;
import io.asyncflow.flowsvr.task.event.log.NewEvent;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Records how the deliveries of hooks end, and disables hooks that have no hope. Thread-safe. */
@Component
class HookHealth {

  private static final Logger log = LoggerFactory.getLogger(HookHealth.class);
  private static final Duration NOTHING_BUT_FAILURES = Duration.ofDays(5);

  private final HookStore hooks;
  private final EventLog eventLog;
  private final RetryingTransactions transactions;
  private final Events events;
  private final Map<Verdict.Kind, Counter> deliveries = new EnumMap<>(Verdict.Kind.class);
  private final Counter disabled;

  HookHealth(
      HookStore hooks,
      EventLog eventLog,
      RetryingTransactions transactions,
      Events events,
      MeterRegistry registry) {
    this.hooks = hooks;
    this.eventLog = eventLog;
    this.transactions = transactions;
    this.events = events;
    for (Verdict.Kind kind : Verdict.Kind.values()) {
      deliveries.put(
          kind,
          Counter.builder("asyncflow.hooks.deliveries")
              .description("attempts to deliver an event to a hook")
              .tag("outcome", kind.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
    this.disabled =
        Counter.builder("asyncflow.hooks.disabled")
            .description("hooks that were disabled because their endpoints failed")
            .register(registry);
  }

  /** Writes nothing after a success that follows another one. */
  void record(long hook, Verdict verdict) {
    deliveries.get(verdict.kind()).increment();
    if (verdict.kind() == Verdict.Kind.DELIVERED) {
      hooks.succeeded(hook);
    } else {
      failed(hook, verdict);
    }
  }

  private void failed(long id, Verdict verdict) {
    boolean isDisabled = transactions.execute(() -> failedIn(id, verdict));
    if (isDisabled) {
      disabled.increment();
      events.publish(new HooksChanged());
    }
  }

  private boolean failedIn(long id, Verdict verdict) {
    HookRow hook = hooks.lock(id).orElse(null);
    if (hook == null) {
      return false;
    }
    boolean isDisabled =
        hook.state() == StoredHookState.ACTIVE
            && (verdict.kind() == Verdict.Kind.GONE || hasOnlyFailed(hook));
    hooks.failed(id, verdict.error(), isDisabled ? StoredHookState.DISABLED : hook.state());
    if (isDisabled) {
      log.warn(
          "{} is disabled, because its endpoint gives up or fails for days: {}; save it as ACTIVE"
              + " to go on",
          hook,
          verdict.error());
      eventLog.add(
          NewEvent.of(
              EventKind.HOOK_DISABLED,
              HookTasks.TYPE,
              Event.ofHook(hook.stage(), StoredHookState.DISABLED.name(), verdict.error())));
    }
    return isDisabled;
  }

  private static boolean hasOnlyFailed(HookRow hook) {
    return hook.failSince() != null
        && hook.now() - hook.failSince() >= NOTHING_BUT_FAILURES.toMillis();
  }
}
