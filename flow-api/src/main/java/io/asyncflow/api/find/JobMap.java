package io.asyncflow.api.find;

import java.util.Map;

/**
 * A stretch of the children of a job, one letter each.
 *
 * @param from the index of the first
 * @param map {@code q} no task yet, {@code w} waiting, {@code p} paused, {@code r} executing,
 *     {@code s} success, {@code f} failed, {@code c} cancelled, {@code -} gone with its table
 * @param progress per cent, by the index, of executing children that have told it
 */
public record JobMap(int from, String map, Map<Integer, Integer> progress) {}
