package io.asyncflow.flowsvr.stats.depth;

/**
 * The first task of a place.
 *
 * @param number of the task
 * @param orderTime epoch ms; it is claimable from then on, and tasks are claimed in this order
 * @param dueTime epoch ms; later than the order time if that contains a head start
 * @param now the database's epoch ms when it was read
 */
public record First(Place place, long number, long orderTime, long dueTime, long now) {

  /** For how long it has been due; negative if it is not. */
  public long dueMs() {
    return now - dueTime;
  }
}
