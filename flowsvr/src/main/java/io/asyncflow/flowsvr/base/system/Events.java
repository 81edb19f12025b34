package io.asyncflow.flowsvr.base.system;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Component;

/**
 * Publishes committed changes to listeners in this server.
 *
 * <p>The change is already committed, so a failing listener must not fail the caller, which might
 * repeat a create without a key. Delivery is best effort: every receiver also finds the change by
 * periodic scans. Thread-safe.
 */
@Component
public class Events {

  private static final Logger log = LoggerFactory.getLogger(Events.class);

  private final ApplicationEventPublisher listeners;

  public Events(ApplicationEventPublisher listeners) {
    this.listeners = listeners;
  }

  /** Calls all listeners; returns normally whatever they throw. */
  public void publish(Object event) {
    try {
      listeners.publishEvent(event);
    } catch (Throwable e) { // even an Error, such as a failure to create a thread
      log.warn("{} did not reach every listener; periodic scans will find the change", event, e);
    }
  }
}
