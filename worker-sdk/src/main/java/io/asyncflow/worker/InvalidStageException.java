package io.asyncflow.worker;

/** A stage whose handler cannot be one; the message says what is wrong and what to do. */
public class InvalidStageException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private final String problem;
  private final String remedy;

  /**
   * @param problem what is wrong with which handler, as a sentence without its full stop
   * @param remedy what to do, as another
   */
  public InvalidStageException(String problem, String remedy) {
    super(problem + "; " + remedy);
    this.problem = problem;
    this.remedy = remedy;
  }

  /** What is wrong with which handler, as a sentence without its full stop. */
  public String problem() {
    return problem;
  }

  /** What to do, as a sentence without its full stop. */
  public String remedy() {
    return remedy;
  }
}
