package io.asyncflow.worker.engine;

/** The engine failed a run, and a retry may succeed; the attempt counts as failed. */
public class EngineException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public EngineException(String message) {
    super(message);
  }
}
