package io.asyncflow.console.page.overview;

import io.asyncflow.console.frame.Frame;

/**
 * Something that an operator should look at.
 *
 * @param code of its sentence
 * @param isGrave whether work stands still or is lost
 * @param subject what has the problem, such as a type or a worker; may be empty
 * @param detail what a worker or a server said; may be empty
 * @param count how many it is about; 0 if it is about none
 * @param url of the page that helps
 * @param link the key of the name of that page
 */
public record Problem(
    String code,
    boolean isGrave,
    String subject,
    String detail,
    int count,
    String url,
    String link) {

  /** What is wrong; the code alone of a problem that a newer server has found. */
  public String sentence(Frame frame) {
    boolean isKnown = !frame.word("problem.", code).equals(code);
    return isKnown ? frame.t("problem." + code, count) : code;
  }

  /** What it is about: the same before and after a change of its details. */
  public String key() {
    return code + " " + subject;
  }
}
