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
    Map<String, Own> ownTicks,
    int ticksPerSecond,
    boolean ownIsAll) {

  /** What a process has used since it was started. */
  public record Own(long pid, long ticks) {

    /**
     * Ticks since a reading.
     *
     * @param before of that reading, of the process that then had the same name; {@code null} for
     *     none
     */
    long since(Own before) {
      return before != null && before.pid == pid ? ticks - before.ticks : ticks;
    }
  }
}
