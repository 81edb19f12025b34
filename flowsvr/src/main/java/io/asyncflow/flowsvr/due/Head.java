package io.asyncflow.flowsvr.due;

/**
 * One of the first waiting tasks of a source.
 *
 * @param now the database's epoch ms when it was read
 */
public record Head(Source source, long number, long orderTime, long now) {
  public boolean isDue() {
    return orderTime <= now;
  }

  public long dueForMs() {
    return now - orderTime;
  }
}
