package io.asyncflow.bench;

/**
 * The processors' time, added up since some moment in the past.
 *
 * @param nanos when it was read
 * @param busyTicks of all processes, and what a hypervisor took away
 * @param idleTicks of nobody, waiting for a disk included
 * @param ownTicks of the processes that the bench consists of
 * @param ticksPerSecond how long a tick is
 * @param cores how many processors there are
 * @param ownIsAll whether {@code ownTicks} knows every process of the bench; a database that was
 *     given is not known
 */
record CpuReading(
    long nanos,
    long busyTicks,
    long idleTicks,
    long ownTicks,
    int ticksPerSecond,
    int cores,
    boolean ownIsAll) {}
