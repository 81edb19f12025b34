package io.asyncflow.console.page;

/**
 * Something that an operator can do on a page, after a sentence that says what happens.
 *
 * @param key of its words, such as {@code task_cancel}
 * @param url to which its form goes
 * @param isPermitted whether the operator's roles have its verb; otherwise it is not shown
 * @param whyNot the key of the reason for which the state refuses it; {@code null} if it does not
 * @param isGrave whether it ends or takes away something
 * @param needsReason whether the call asks for a reason
 * @param seen the state in which the operator sees the object; {@code null} where none is compared
 */
public record Act(
    String key,
    String url,
    boolean isPermitted,
    String whyNot,
    boolean isGrave,
    boolean needsReason,
    Seen seen) {

  /**
   * What the page shows of a task. If it is another one by then, the act is refused.
   *
   * @param epoch how often it was held
   * @param status by its number
   */
  public record Seen(int epoch, int status) {}

  public static Act of(boolean isPermitted, String key, String url) {
    return new Act(key, url, isPermitted, null, false, false, null);
  }

  /** This act, unless the state allows it not. */
  public Act unless(boolean isRefused, String reasonKey) {
    return isRefused && whyNot == null
        ? new Act(key, url, isPermitted, reasonKey, isGrave, needsReason, seen)
        : this;
  }

  public Act grave() {
    return new Act(key, url, isPermitted, whyNot, true, needsReason, seen);
  }

  public Act withReason() {
    return new Act(key, url, isPermitted, whyNot, isGrave, true, seen);
  }

  public Act onSeen(int epoch, int status) {
    return new Act(key, url, isPermitted, whyNot, isGrave, needsReason, new Seen(epoch, status));
  }
}
