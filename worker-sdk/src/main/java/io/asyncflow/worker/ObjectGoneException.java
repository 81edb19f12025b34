package io.asyncflow.worker;

/**
 * What a reference names is not in the store: nothing referred to it any more when it was
 * collected, or this server has another store.
 */
public class ObjectGoneException extends NonRetryableException {

  private static final long serialVersionUID = 1L;

  private final String reference;

  public ObjectGoneException(String reference) {
    super("there is no object " + reference);
    this.reference = reference;
  }

  /** As {@link StageContext#store} returned it once. */
  public String reference() {
    return reference;
  }
}
