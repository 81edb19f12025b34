package io.asyncflow.worker;

/**
 * The object of a reference is not in the store: it was collected because nothing referred to it,
 * or this server has another store.
 */
public class ObjectGoneException extends NonRetryableException {

  private static final long serialVersionUID = 1L;

  private final String reference;

  public ObjectGoneException(String reference) {
    super("there is no object " + reference);
    this.reference = reference;
  }

  /** The reference that {@link StageContext#store} returned. */
  public String reference() {
    return reference;
  }
}
