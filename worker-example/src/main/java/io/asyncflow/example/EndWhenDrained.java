package io.asyncflow.example;

import io.asyncflow.worker.autoconfigure.WorkerDrainedEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Ends this process when an operator has sent its worker away: it has no other purpose. */
@Component
class EndWhenDrained {

  private static final Logger log = LoggerFactory.getLogger(EndWhenDrained.class);

  @EventListener
  void drained(WorkerDrainedEvent event) {
    log.info("The worker has left; stopping.");
    System.exit(0);
  }
}
