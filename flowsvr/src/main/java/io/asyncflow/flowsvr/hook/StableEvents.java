package io.asyncflow.flowsvr.hook;

import io.asyncflow.flowsvr.event.EventTail;
import io.asyncflow.flowsvr.event.log.EventStore;
import io.asyncflow.flowsvr.event.log.LoggedEvent;
import io.asyncflow.flowsvr.system.Node;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.springframework.stereotype.Component;

/**
 * The events below which none is missing. Keeps the tail of this server reading as long as somebody
 * asks, which is while it is the leader and there are hooks. Thread-safe.
 */
@Component
class StableEvents implements EventTail.Listener {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final EventTail tail;
  private final EventStore events;
  private final Node node;
  private volatile long lastAsked;

  StableEvents(EventTail tail, EventStore events, Node node) {
    this.tail = tail;
    this.events = events;
    this.node = node;
  }

  /** The id up to which no event is missing; empty until the tail has begun to read. */
  OptionalLong last() {
    lastAsked = node.nanoTime();
    tail.add(this);
    return tail.stable();
  }

  /** The first events above an id and up to another. */
  List<LoggedEvent> page(long after, long upTo, int limit) {
    return events.page(after, upTo, limit);
  }

  @Override
  public void advanced() {
    if (node.nanoTime() - lastAsked > PATIENCE.toNanos()) {
      tail.remove(this);
    }
  }
}
