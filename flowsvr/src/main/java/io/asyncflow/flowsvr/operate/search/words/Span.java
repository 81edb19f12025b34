package io.asyncflow.flowsvr.operate.search.words;

/**
 * A stretch of time, in epoch ms.
 *
 * @param from inclusive
 * @param to exclusive
 */
public record Span(long from, long to) {

  public static final Span ALWAYS = new Span(Long.MIN_VALUE, Long.MAX_VALUE);

  static Span from(long ms) {
    return new Span(ms, Long.MAX_VALUE);
  }

  static Span before(long ms) {
    return new Span(Long.MIN_VALUE, ms);
  }

  Span and(Span other) {
    return new Span(Math.max(from, other.from), Math.min(to, other.to));
  }

  boolean contains(long ms) {
    return from <= ms && ms < to;
  }

  public boolean isAlways() {
    return equals(ALWAYS);
  }
}
