package io.asyncflow.worker.engine;

/** The engine failed a run, and another try may go better: an attempt is counted. */
public class EngineException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public EngineException(String message) {
    super(message);
  }
}
