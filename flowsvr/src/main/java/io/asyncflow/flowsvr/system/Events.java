package io.asyncflow.flowsvr.system;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Component;

/**
 * Tells this server's listeners what was committed.
 *
 * <p>What they make of it can undo nothing any more, so a listener that fails must not look to the
 * caller as if nothing had been done: a create without a key would be made again. None of them is
 * relied on; whatever they are told of is also found by who looks now and then. Thread-safe.
 */
@Component
public class Events {

  private static final Logger log = LoggerFactory.getLogger(Events.class);

  private final ApplicationEventPublisher listeners;

  public Events(ApplicationEventPublisher listeners) {
    this.listeners = listeners;
  }

  /** Returns when the listeners have heard of it, whatever they throw. */
  public void publish(Object event) {
    try {
      listeners.publishEvent(event);
    } catch (Throwable e) { // even an Error, as when no thread is to be had
      log.warn("{} was not told to everybody; they find out when they look again", event, e);
    }
  }
}
