package io.asyncflow.api.codec;

/** A text or an object cannot be opened, for example because its key is missing here. */
public class CodecException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public CodecException(String message) {
    super(message);
  }

  public CodecException(String message, Throwable cause) {
    super(message, cause);
  }
}
