package io.asyncflow.api;

/**
 * One invalid field of a request.
 *
 * @param field its path in the request, as {@code taskData.userId} or {@code reports[3].outcome}
 * @param message one sentence: what is wrong, and what would be valid
 */
public record FieldError(String field, String message) {}
