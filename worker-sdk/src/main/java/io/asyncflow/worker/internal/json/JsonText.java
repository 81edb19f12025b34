package io.asyncflow.worker.internal.json;

import java.lang.reflect.Type;

/**
 * Contexts and results as JSON, by the Jackson that the application has. What the user's classes
 * say of themselves with annotations belongs to one of the two; without such annotations, both read
 * and write the same.
 */
interface JsonText {

  /** A text is no JSON of the type, or an object cannot be written. */
  final class UnfitException extends Exception {

    private static final long serialVersionUID = 1L;

    private final boolean isJson;

    /**
     * @param isJson whether another class, as of another version of the program, may fit
     */
    UnfitException(String message, boolean isJson) {
      super(message);
      this.isJson = isJson;
    }

    boolean isJson() {
      return isJson;
    }
  }

  Object read(String json, Type type) throws UnfitException;

  String write(Object value) throws UnfitException;

  /**
   * Jackson 3 where it works, as in Spring Boot 4, and otherwise Jackson 2, which this SDK brings.
   */
  static JsonText ofTheApplication() {
    try {
      return new Jackson3Text();
    } catch (LinkageError absentOrWithOlderAnnotations) {
      return new Jackson2Text();
    }
  }
}
