package io.asyncflow.flowsvr.task.row;

import io.asyncflow.api.OnDuplicate;

/**
 * What a create asks for its idempotency key.
 *
 * @param keyMs how long the key is remembered; {@code null} for the server's value
 * @param untilDone whether the key of a final task counts as free
 */
public record KeyOptions(OnDuplicate onDuplicate, Long keyMs, boolean untilDone) {

  /** Those of a create that asks for nothing. */
  public static final KeyOptions PLAIN = new KeyOptions(OnDuplicate.SAME, null, false);
}
