package io.asyncflow.worker.autoconfigure;

import io.asyncflow.worker.Worker;
import org.springframework.context.ApplicationEvent;

/**
 * The worker of this application has stopped because an operator drained it. The application goes
 * on; one that is nothing but a worker ends itself now.
 */
public class WorkerDrainedEvent extends ApplicationEvent {

  private static final long serialVersionUID = 1L;

  /**
   * @param worker which has nothing left to do
   */
  public WorkerDrainedEvent(Worker worker) {
    super(worker);
  }
}
