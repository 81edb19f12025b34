package io.asyncflow.flowsvr.task.index;

/**
 * One of the first tasks of a source.
 *
 * @param orderTime epoch ms; it is claimable from then on, and tasks are claimed in this order
 * @param dueTime epoch ms; later than the order time if that contains a head start, and was read
 * @param now the database's epoch ms when it was read
 */
public record Head(Source source, long number, long orderTime, long dueTime, long now) {

  public Head(Source source, long number, long orderTime, long now) {
    this(source, number, orderTime, orderTime, now);
  }

  public boolean isDue() {
    return orderTime <= now;
  }

  public long dueForMs() {
    return now - orderTime;
  }

  /** How long until it is due; 0 if it is. */
  public long dueInMs() {
    return Math.max(0, -dueForMs());
  }

  /** For how long it has been due but for its head start; negative if it is not. */
  public long lateMs() {
    return now - dueTime;
  }
}
