package io.asyncflow.rules.schedule;

/** Spreads what would happen at one moment over a stretch, evenly and always the same way. */
final class Spread {

  private Spread() {}

  /** A number from 0 to {@code bound - 1} that depends on the seeds alone. */
  static long of(long seed, long second, long bound) {
    return Math.floorMod(mix(seed + mix(second)), bound);
  }

  /** The finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Generators). */
  private static long mix(long value) {
    long z = value + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
