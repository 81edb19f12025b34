package io.asyncflow.flowsvr.task.event.log;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.flowsvr.base.system.db.AfterCommit;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The only place through which events are written: with one INSERT, as the last statement of the
 * transaction that they tell of, so that both are committed or neither is. Thread-safe.
 *
 * <p>Callers ask {@link #keeps} first, and a type without events costs no more than that.
 */
@Component
public class EventLog {

  private final TaskTypes types;
  private final EventStore store;
  private final Events news;
  private final TaskMeters meters;

  EventLog(TaskTypes types, EventStore store, Events news, TaskMeters meters) {
    this.types = types;
    this.store = store;
    this.news = news;
    this.meters = meters;
  }

  /** Whether events of this kind are written for this type, by its {@code events}. */
  public boolean keeps(TaskType type, EventKind kind) {
    Optional<TaskTypeConfig> config = types.known(type);
    return config.isPresent() && config.get().keeps(kind);
  }

  /** Whether events of this kind are written for any type. */
  public boolean isInUse(EventKind kind) {
    return types.anyKnown(type -> type.keeps(kind));
  }

  /** Writes what happened to a task, if its type keeps it; as {@link #add}. */
  public void addTask(EventKind kind, TaskRow after, String errMsg) {
    if (keeps(after.id().type(), kind)) {
      add(NewEvent.ofTask(kind, after, errMsg));
    }
  }

  /**
   * Writes the event with the caller's transaction.
   *
   * @throws IllegalStateException if there is no transaction
   */
  public void add(NewEvent event) {
    if (!TransactionSynchronizationManager.isActualTransactionActive()) {
      throw new IllegalStateException("an event is written in the transaction that it tells of");
    }
    Pending pending = (Pending) TransactionSynchronizationManager.getResource(this);
    if (pending == null) {
      pending = new Pending();
      TransactionSynchronizationManager.bindResource(this, pending);
      TransactionSynchronizationManager.registerSynchronization(pending);
    }
    pending.events.add(event);
  }

  /** The events of a transaction that has not ended. */
  private final class Pending implements TransactionSynchronization {

    private final List<NewEvent> events = new ArrayList<>();

    @Override
    public void beforeCommit(boolean readOnly) {
      store.insert(events);
    }

    @Override
    public void afterCompletion(int status) {
      TransactionSynchronizationManager.unbindResource(EventLog.this);
      if (status == STATUS_COMMITTED) {
        AfterCommit.runNow(this::tell);
      }
    }

    private void tell() {
      events.stream()
          .collect(groupingBy(event -> event.type().name(), counting()))
          .forEach(meters::eventsWritten);
      news.publish(new EventsWritten(false));
    }
  }
}
