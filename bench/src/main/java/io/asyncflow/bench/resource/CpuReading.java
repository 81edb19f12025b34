package io.asyncflow.bench.resource;

import java.util.Map;

/**
 * The processors' time, added up since some moment in the past.
 *
 * @param nanos when it was read
 * @param busyTicks of all processes, and what a hypervisor took away
 * @param idleTicks of nobody, waiting for a disk included
 * @param ownTicks of the processes that the bench consists of, by their names
 * @param ticksPerSecond how long a tick is
 * @param ownIsAll whether {@code ownTicks} knows every process of the bench; a database that was
 *     given is not known
 */
public record CpuReading(
    long nanos,
    long busyTicks,
    long idleTicks,
    Map<String, Long> ownTicks,
    int ticksPerSecond,
    boolean ownIsAll) {}
