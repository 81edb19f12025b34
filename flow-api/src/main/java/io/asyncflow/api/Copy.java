package io.asyncflow.api;

/**
 * Which copy of a team a task is: it does the part {@code index} of {@code total}.
 *
 * @param index from 0
 * @param total the number of copies
 */
public record Copy(int index, int total) {}
