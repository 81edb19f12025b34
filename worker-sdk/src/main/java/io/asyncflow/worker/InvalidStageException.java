package io.asyncflow.worker;

/** A handler of a stage is invalid; the message states the problem and the remedy. */
public class InvalidStageException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private final String problem;
  private final String remedy;

  /**
   * @param problem the problem and its handler, as a sentence without a full stop
   * @param remedy the remedy, as a sentence without a full stop
   */
  public InvalidStageException(String problem, String remedy) {
    super(problem + "; " + remedy);
    this.problem = problem;
    this.remedy = remedy;
  }

  /** The problem and its handler, as a sentence without a full stop. */
  public String problem() {
    return problem;
  }

  /** The remedy, as a sentence without a full stop. */
  public String remedy() {
    return remedy;
  }
}
