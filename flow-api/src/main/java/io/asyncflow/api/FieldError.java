package io.asyncflow.api;

/**
 * One bad field of a request.
 *
 * @param field its path in the request, as {@code taskData.userId} or {@code reports[3].outcome}
 * @param message what is wrong and what would be right, one sentence
 */
public record FieldError(String field, String message) {}
