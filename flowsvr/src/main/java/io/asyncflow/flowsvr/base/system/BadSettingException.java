package io.asyncflow.flowsvr.base.system;

/** The server cannot start with a setting; the message names the setting and the remedy. */
public class BadSettingException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * @param message a sentence that names the setting as operators know it; must not contain a
   *     secret
   */
  public BadSettingException(String message) {
    super(message);
  }
}
