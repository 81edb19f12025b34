package io.asyncflow.flowsvr.system;

/** A setting that the server cannot start with; the message says which one, and what to do. */
public class BadSettingException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * @param message a sentence that names the setting as operators know it; no secret may be in it
   */
  public BadSettingException(String message) {
    super(message);
  }
}
