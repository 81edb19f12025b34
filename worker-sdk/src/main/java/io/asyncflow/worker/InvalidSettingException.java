package io.asyncflow.worker;

/** A setting of a worker is invalid; the message states in one sentence what it must be. */
public class InvalidSettingException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private final String setting;
  private final String requirement;

  /**
   * @param setting the name of the setting as in {@code asyncflow.worker.*}, in camelCase
   * @param requirement what it must be
   */
  public InvalidSettingException(String setting, String requirement) {
    super(setting + " must be " + requirement);
    this.setting = setting;
    this.requirement = requirement;
  }

  /** The name of the setting as in {@code asyncflow.worker.*}, in camelCase. */
  public String setting() {
    return setting;
  }

  /** The requirement, which continues "must be". */
  public String requirement() {
    return requirement;
  }
}
