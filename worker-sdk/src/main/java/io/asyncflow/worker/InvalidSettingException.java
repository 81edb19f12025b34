package io.asyncflow.worker;

/** A setting of a worker that cannot work; the message says in one sentence what it must be. */
public class InvalidSettingException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private final String setting;
  private final String requirement;

  /**
   * @param setting its name, as {@code asyncflow.worker.*} has it, in camelCase
   * @param requirement what it must be
   */
  public InvalidSettingException(String setting, String requirement) {
    super(setting + " must be " + requirement);
    this.setting = setting;
    this.requirement = requirement;
  }

  /** Its name, as {@code asyncflow.worker.*} has it, in camelCase. */
  public String setting() {
    return setting;
  }

  /** What it must be, to go on after "must be". */
  public String requirement() {
    return requirement;
  }
}
