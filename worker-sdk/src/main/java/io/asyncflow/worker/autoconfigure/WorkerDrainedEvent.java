package io.asyncflow.worker.autoconfigure;

import io.asyncflow.worker.Worker;
import org.springframework.context.ApplicationEvent;

/**
 * The worker of this application has stopped because an operator drained it. The application
 * continues; an application that is only a worker should end itself.
 */
public class WorkerDrainedEvent extends ApplicationEvent {

  private static final long serialVersionUID = 1L;

  /**
   * @param worker the stopped worker
   */
  public WorkerDrainedEvent(Worker worker) {
    super(worker);
  }
}
