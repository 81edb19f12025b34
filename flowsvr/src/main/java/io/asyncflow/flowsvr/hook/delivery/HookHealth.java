package io.asyncflow.flowsvr.hook.delivery;

import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.event.log.EventLog;
import io.asyncflow.flowsvr.event.log.NewEvent;
import io.asyncflow.flowsvr.hook.core.HookRow;
import io.asyncflow.flowsvr.hook.core.HookStore;
import io.asyncflow.flowsvr.hook.core.HookTasks;
import io.asyncflow.flowsvr.hook.core.HooksChanged;
import io.asyncflow.flowsvr.hook.core.StoredHookState;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import java.time.Duration;
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
  private final HookMeters meters;

  HookHealth(
      HookStore hooks,
      EventLog eventLog,
      RetryingTransactions transactions,
      Events events,
      HookMeters meters) {
    this.hooks = hooks;
    this.eventLog = eventLog;
    this.transactions = transactions;
    this.events = events;
    this.meters = meters;
  }

  /** Writes nothing after a success that follows another one. */
  void record(long hook, Verdict verdict) {
    meters.attempted(verdict.kind());
    if (verdict.kind() == Verdict.Kind.DELIVERED) {
      hooks.succeeded(hook);
    } else {
      failed(hook, verdict);
    }
  }

  private void failed(long id, Verdict verdict) {
    boolean isDisabled = transactions.execute(() -> failedIn(id, verdict));
    if (isDisabled) {
      meters.disabled();
      events.publish(new HooksChanged());
    }
  }

  private boolean failedIn(long id, Verdict verdict) {
    HookRow hook = hooks.lock(id).orElse(null);
    if (hook == null) {
      return false;
    }
    hooks.failed(id, verdict.error());
    if (verdict.kind() != Verdict.Kind.GONE && !hasOnlyFailed(hook)) {
      return false;
    }
    boolean isDisabled = hooks.disable(id);
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
