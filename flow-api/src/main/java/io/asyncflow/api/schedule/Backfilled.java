package io.asyncflow.api.schedule;

/**
 * The answer to a backfill.
 *
 * @param made fires that this call made
 * @param nextFrom the {@code from} of the call that goes on, epoch milliseconds; {@code null} if
 *     the whole time is covered
 */
public record Backfilled(int made, Long nextFrom) {}
