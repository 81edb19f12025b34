package io.asyncflow.api.act;

/**
 * Which acts are listed; {@code null} for any.
 *
 * @param actor whom the server took the caller for, such as {@code key:3Qm81LtzGh}
 * @param object such as {@code type:lark}, {@code task:…}, {@code job:…}
 * @param act such as {@code CANCEL}
 * @param from epoch ms, inclusive
 * @param to epoch ms, exclusive
 */
public record ActFilter(String actor, String object, String act, Long from, Long to) {

  /** All acts. */
  public static final ActFilter ALL = new ActFilter(null, null, null, null, null);

  /** The acts on an object. */
  public static ActFilter onObject(String object) {
    return new ActFilter(null, object, null, null, null);
  }
}
