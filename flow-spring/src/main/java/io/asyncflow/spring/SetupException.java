package io.asyncflow.spring;

/** The application cannot start as it is set up. */
public final class SetupException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String problem;
  private final String remedy;

  /**
   * @param problem a sentence
   * @param remedy what to do, in sentences
   * @param cause {@code null} for none
   */
  public SetupException(String problem, String remedy, Throwable cause) {
    super(problem + " " + remedy, cause);
    this.problem = problem;
    this.remedy = remedy;
  }

  String problem() {
    return problem;
  }

  String remedy() {
    return remedy;
  }
}
