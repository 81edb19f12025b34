package io.asyncflow.api;

/**
 * A call that can be made with and without waiting.
 *
 * @param body what is sent as JSON
 */
record Call<T>(String path, Object body, Answer<T> answer) {}
