package io.asyncflow.flowsvr.compose.hook;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.compose.hook.HookStore.Definition;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.OutOfScopeException;
import io.asyncflow.flowsvr.edge.access.Scoped;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.edge.act.Change;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.queue.create.CreateCall;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.flowsvr.task.event.log.EventStore;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.flowsvr.task.type.NoSuchTaskTypeException;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;

/** What callers do with hooks; each act is recorded in its transaction. Thread-safe. */
@Service
class HookActs {

  private static final int MAX_HOOKS = 100;
  private static final Duration BOTH_SECRETS_SIGN = Duration.ofHours(24);

  /** No transaction lasts longer between its event and its commit. */
  private static final Duration BEFORE_THE_HOOK = Duration.ofSeconds(100);

  private final HookStore hooks;
  private final TaskTypes types;
  private final TaskCreator creator;
  private final EventStore log;
  private final Acts acts;
  private final RetryingTransactions transactions;
  private final Events events;

  HookActs(
      HookStore hooks,
      TaskTypes types,
      TaskCreator creator,
      EventStore log,
      Acts acts,
      RetryingTransactions transactions,
      Events events) {
    this.hooks = hooks;
    this.types = types;
    this.creator = creator;
    this.log = log;
    this.acts = acts;
    this.transactions = transactions;
    this.events = events;
  }

  /**
   * A hook that was saved.
   *
   * @param secret {@code null} if the hook kept its secret
   */
  record Saved(long id, HookSecret secret) {}

  /**
   * Creates or changes the hook of a name.
   *
   * @throws NoSuchTaskTypeException if it names a type that is not configured
   * @throws OutOfScopeException if the hook is told, or was told, of something beyond the caller's
   *     scope
   */
  Saved save(Definition hook, Reason why, Caller caller) {
    caller.require(Scoped.ofAllUsers(hook.taskTypes()));
    if (types.find(HookTasks.TYPE).isEmpty()) {
      types.saveOwn(HookTasks.settings());
    }
    types.requireAll(hook.taskTypes());
    try {
      return changeOrCreate(hook, why, caller);
    } catch (DuplicateKeyException e) { // another call has just created the hook
      return changeOrCreate(hook, why, caller);
    }
  }

  private Saved changeOrCreate(Definition hook, Reason why, Caller caller) {
    return change(
        () -> {
          Optional<HookRow> row = hooks.find(hook.name());
          if (row.filter(one -> !caller.sees(one.scoped())).isPresent()) {
            throw new OutOfScopeException("hook", hook.name());
          }
          return row.isPresent() ? change(row.get(), hook, why) : create(hook, why);
        });
  }

  private Saved create(Definition hook, Reason why) {
    if (hooks.count() >= MAX_HOOKS) {
      throw new FlowException(
          ErrorCode.LIMIT_EXCEEDED, "there are " + MAX_HOOKS + " hooks, and no more are possible");
    }
    long id = creator.nextNumber();
    HookSecret secret = HookSecret.random();
    hooks.insert(id, hook.orState(StoredHookState.ACTIVE), secret, firstCursor());
    record("CREATE", id, why, Map.of("after", hook.shown()));
    return new Saved(id, secret);
  }

  /** Below it are only events that were written before the hook. */
  private long firstCursor() {
    long now = log.now();
    return log.lastBefore(EventStore.dayOf(now), now - BEFORE_THE_HOOK.toMillis());
  }

  private Saved change(HookRow row, Definition hook, Reason why) {
    Definition after = hook.orState(row.state());
    hooks.update(row.id(), after);
    record("SAVE", row.id(), why, Change.between(Definition.of(row).shown(), after.shown()));
    return new Saved(row.id(), null);
  }

  /** Gives the hook a new secret, beside which the old one signs for a day. */
  Saved rotate(long id, Reason why) {
    HookSecret secret = HookSecret.random();
    change(id, "ROTATE", why, () -> hooks.rotate(id, secret, BOTH_SECRETS_SIGN));
    return new Saved(id, secret);
  }

  /** Deletes the hook; its deliveries that have not ended fail. */
  void delete(long id, Reason why) {
    change(id, "DELETE", why, () -> hooks.markDeleted(id));
  }

  /** Creates a delivery that contains no event; returns its task. */
  TaskId test(HookRow hook, Reason why) {
    if (hook.state() != StoredHookState.ACTIVE) {
      throw new FlowException(
          ErrorCode.TRANSITION_NOT_ALLOWED,
          "the hook is " + hook.state() + ", so nothing is delivered; save it as ACTIVE");
    }
    String id = "test-" + creator.nextNumber();
    TaskDraft delivery =
        HookTasks.delivery(
            hook.id(),
            id,
            "{\"id\":\"%s\",\"time\":%s,\"kind\":\"TEST\"}".formatted(id, hook.now()));
    return creator
        .create(
            CreateCall.of(List.of(delivery))
                .and(
                    ids -> {
                      lock(hook.id()); // no hook is deleted beside it, which would leave the task
                      record("TEST", hook.id(), why, Map.of("taskId", ids.get(0).toString()));
                    }))
        .get(0);
  }

  private void lock(long id) {
    hooks
        .lock(id)
        .filter(row -> row.state() != StoredHookState.DELETED)
        .orElseThrow(() -> new NoSuchHookException(Long.toString(id)));
  }

  private void record(String act, long id, Reason why, Object detail) {
    acts.record(Act.of(act, "hook:" + id).by(why).with(detail));
  }

  private void change(long id, String act, Reason why, Runnable work) {
    change(
        () -> {
          lock(id);
          work.run();
          record(act, id, why, null);
          return null;
        });
  }

  private <T> T change(Supplier<T> work) {
    T result = transactions.execute(work);
    events.publish(new HooksChanged());
    return result;
  }
}
