package io.asyncflow.seal;

/** A file with keys cannot be used; the message is one sentence for the operator. */
public class SealKeysException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  SealKeysException(String message) {
    super(message);
  }

  SealKeysException(String message, Throwable cause) {
    super(message, cause);
  }
}
