package io.asyncflow.flowsvr.due;

/**
 * A waiting task that stands at the head of its source.
 *
 * @param now the database's epoch ms when it was seen
 */
public record Head(Source source, long number, long orderTime, long now) {
  public boolean isDue() {
    return orderTime <= now;
  }

  public long dueForMs() {
    return now - orderTime;
  }
}
