package io.asyncflow.api.stats;

import java.util.List;
import java.util.Map;

/**
 * Numbers over time.
 *
 * @param from epoch ms of the first step
 * @param stepMs the length of each step
 * @param whole whether all was added up that is known; otherwise counts are lower bounds
 * @param series by name ({@code created}, {@code finished}, {@code failed}, {@code retried}) a
 *     count for each step; {@code null} where nothing is known
 * @param runMs by name ({@code p50}, {@code p95}, {@code p99}) how long runs took; {@code null}
 *     where none ended
 * @param waitMs the same of how long due tasks waited for their holds
 */
public record Series(
    long from,
    long stepMs,
    boolean whole,
    Map<String, List<Long>> series,
    Map<String, List<Long>> runMs,
    Map<String, List<Long>> waitMs) {}
