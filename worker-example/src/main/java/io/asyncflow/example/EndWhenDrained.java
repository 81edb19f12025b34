package io.asyncflow.example;

import io.asyncflow.worker.autoconfigure.WorkerDrainedEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Ends this process when its worker was drained, because it has no other purpose. */
@Component
class EndWhenDrained {

  private static final Logger log = LoggerFactory.getLogger(EndWhenDrained.class);

  @EventListener
  void drained(WorkerDrainedEvent event) {
    log.info("The worker is drained; stopping.");
    System.exit(0);
  }
}
