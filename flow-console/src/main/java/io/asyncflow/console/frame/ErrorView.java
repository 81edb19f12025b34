package io.asyncflow.console.frame;

import io.asyncflow.api.FieldError;
import java.util.List;

/**
 * Why something could not be shown or done.
 *
 * @param status of HTTP
 * @param code of the API
 * @param message as the API says it
 * @param kind the key of the sentence that says what to do
 * @param traceId empty if there is none
 * @param isAskedAgain whether the page asks by itself until there is an answer
 * @param isOfForm whether it answers a form, so that there is a page to go back to
 * @param reason that was typed in the form; empty if none was
 */
public record ErrorView(
    int status,
    int code,
    String message,
    List<FieldError> errors,
    String kind,
    String traceId,
    boolean isAskedAgain,
    boolean isOfForm,
    String reason) {}
