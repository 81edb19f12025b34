package io.asyncflow.flowsvr.compose.hook;

import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.queue.create.CreateCall;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.flowsvr.task.event.EventTail;
import io.asyncflow.flowsvr.task.event.log.EventStore;
import io.asyncflow.flowsvr.task.event.log.LoggedEvent;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Creates a delivery for each event that a hook wants, page by page after the hook's cursor. The
 * transaction that creates the tasks of a page moves the cursor from where it was seen, so of two
 * dispatches that see the same page one creates its tasks. It keeps the tail of events reading as
 * long as this server is the leader and there are hooks.
 */
@Component
class HookDispatch implements EventTail.Listener {

  private static final Logger log = LoggerFactory.getLogger(HookDispatch.class);
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int PAGE = 500;
  private static final int MAX_PAGES = 20;

  /** So long after the last dispatch the tail goes on reading for the next one. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final HookStore hooks;
  private final EventTail tail;
  private final EventStore events;
  private final TaskCreator creator;
  private final Node node;
  private volatile long lastAsked;

  HookDispatch(HookStore hooks, EventTail tail, EventStore events, TaskCreator creator, Node node) {
    this.hooks = hooks;
    this.tail = tail;
    this.events = events;
    this.creator = creator;
    this.node = node;
  }

  @Bean
  Duty hookDispatchDuty(DutyIntervals every) {
    return Duty.ofLeader("hook-dispatch", every.sweep(), this::runOnce).onlyWith(HookStore.HOOKS);
  }

  /** Returns the number of deliveries that were created. */
  int runOnce() {
    List<HookRow> active =
        hooks.all().stream().filter(hook -> hook.state() == StoredHookState.ACTIVE).toList();
    if (active.isEmpty()) {
      return 0;
    }
    OptionalLong stable = stable();
    return stable.isEmpty() ? 0 : dispatch(active, stable.getAsLong());
  }

  /** The id up to which no event is missing; empty until the tail has begun to read. */
  OptionalLong stable() {
    lastAsked = node.nanoTime();
    tail.add(this);
    return tail.stable();
  }

  @Override
  public void advanced() {
    if (node.nanoTime() - lastAsked > PATIENCE.toNanos()) {
      tail.remove(this);
    }
  }

  private int dispatch(List<HookRow> active, long stable) {
    Map<HookRow, Long> cursors = new LinkedHashMap<>();
    active.forEach(hook -> cursors.put(hook, hook.cursor()));
    int created = 0;
    for (int turn = 0; turn < MAX_PAGES; turn++) {
      cursors.values().removeIf(cursor -> cursor >= stable);
      created += dispatchPages(cursors, stable);
    }
    return created;
  }

  /**
   * Dispatches a page for each hook; hooks with the same cursor share what is read.
   *
   * @param cursors is changed: moved on, and without hooks that are not as they were read
   */
  private int dispatchPages(Map<HookRow, Long> cursors, long stable) {
    Map<Long, List<LoggedEvent>> pages = new HashMap<>();
    int created = 0;
    for (HookRow hook : List.copyOf(cursors.keySet())) {
      long cursor = cursors.get(hook);
      List<LoggedEvent> page =
          pages.computeIfAbsent(cursor, after -> events.page(after, stable, PAGE));
      long next = page.size() < PAGE ? stable : page.get(PAGE - 1).id();
      List<TaskDraft> wanted =
          page.stream().filter(event -> wants(hook, event)).map(e -> delivery(hook, e)).toList();
      if (create(hook.id(), cursor, next, wanted)) {
        created += wanted.size();
        cursors.put(hook, next);
      } else {
        cursors.remove(hook);
      }
    }
    return created;
  }

  /**
   * Creates the tasks and moves the cursor, in one transaction; false if another dispatch has moved
   * the cursor, or the hook is not active any more.
   */
  private boolean create(long hookId, long cursor, long next, List<TaskDraft> tasks) {
    if (tasks.isEmpty()) {
      return hooks.moveCursor(hookId, cursor, next);
    }
    try {
      creator.create(
          CreateCall.of(tasks)
              .and(
                  ids -> {
                    if (!hooks.moveCursor(hookId, cursor, next)) {
                      throw new OvertakenException();
                    }
                  }));
      return true;
    } catch (OvertakenException e) {
      log.info("hook {} was changed, or another dispatch was faster", hookId);
      return false;
    }
  }

  /** Events from before the hook are above its first cursor if they were committed late. */
  private static boolean wants(HookRow hook, LoggedEvent logged) {
    EventKind kind = logged.event().kind();
    String type = logged.event().taskType();
    boolean isOfDelivery = type.equals(HookTasks.TYPE.name()) && kind != EventKind.HOOK_DISABLED;
    return !isOfDelivery
        && logged.time() >= hook.createTime()
        && (hook.taskTypes().isEmpty() || hook.taskTypes().contains(type))
        && (hook.kinds().isEmpty() || kind != null && hook.kinds().contains(kind.name()));
  }

  private static TaskDraft delivery(HookRow hook, LoggedEvent logged) {
    return HookTasks.delivery(
        hook.id(), Long.toString(logged.id()), JSON.writeValueAsString(logged.event()));
  }

  /** Another dispatch has moved the cursor, or the hook is not active any more. */
  private static final class OvertakenException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    OvertakenException() {
      super(null, null, false, false);
    }
  }
}
