package io.asyncflow.flowsvr.base.pulse.count;

import java.io.ByteArrayOutputStream;
import java.util.OptionalLong;

/**
 * How often a duration was how long: four buckets an octave from 1 ms to 50 days, so a percentile
 * is at most 13 % off. Not thread-safe.
 *
 * <p>As bytes it is sparse: for each bucket that is not empty its number, one byte, and its count,
 * seven bits a byte, the lowest first.
 */
public final class Histogram {

  private static final int PARTS = 4;
  private static final int PART_BITS = 2;
  private static final int OCTAVES = 32;

  /** The number of buckets. */
  public static final int BUCKETS = PARTS * (OCTAVES - 1);

  private final long[] counts = new long[BUCKETS];

  /**
   * The bucket of a duration. Below 4 ms a bucket is a millisecond; then each octave has four.
   *
   * @param ms less than 0 counts as 0, too long ones as the longest
   */
  public static int bucketOf(long ms) {
    if (ms < PARTS) {
      return (int) Math.max(0, ms);
    }
    int octave = Long.SIZE - 1 - Long.numberOfLeadingZeros(ms);
    int part = (int) (ms >>> octave - PART_BITS) & PARTS - 1;
    return Math.min(BUCKETS - 1, (octave - PART_BITS + 1) * PARTS + part);
  }

  /** The least duration of a bucket. */
  private static double floorOf(int bucket) {
    if (bucket < PARTS) {
      return bucket;
    }
    int octave = bucket / PARTS + PART_BITS - 1;
    return Math.scalb(PARTS + bucket % PARTS, octave - PART_BITS);
  }

  public void add(int bucket, long times) {
    counts[bucket] += times;
  }

  public void addAll(Histogram other) {
    for (int i = 0; i < BUCKETS; i++) {
      counts[i] += other.counts[i];
    }
  }

  /** How many durations there are. */
  public long size() {
    long sum = 0;
    for (long count : counts) {
      sum += count;
    }
    return sum;
  }

  /** As {@link #percentile}; {@code null} if it is empty. */
  public Long percentileOrNull(double share) {
    return percentile(share).stream().boxed().findFirst().orElse(null);
  }

  /**
   * The duration in ms that this share of all durations does not exceed: the middle of its bucket.
   *
   * @param share such as 0.95
   * @return empty without durations
   */
  public OptionalLong percentile(double share) {
    long size = size();
    long rank = Math.max(1, (long) Math.ceil(share * size));
    long seen = 0;
    for (int i = 0; i < BUCKETS && size > 0; i++) {
      seen += counts[i];
      if (seen >= rank) {
        return OptionalLong.of(i < PARTS ? i : Math.round(Math.sqrt(floorOf(i) * floorOf(i + 1))));
      }
    }
    return OptionalLong.empty();
  }

  public byte[] toBytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < BUCKETS; i++) {
      if (counts[i] > 0) {
        bytes.write(i);
        long rest = Math.min(counts[i], Integer.MAX_VALUE);
        while (rest > 0x7f) {
          bytes.write((int) (rest & 0x7f | 0x80));
          rest >>>= 7;
        }
        bytes.write((int) rest);
      }
    }
    return bytes.toByteArray();
  }

  /**
   * Adds what {@link #toBytes} returned; bytes that are none of it, written by SQL, are ignored.
   */
  public void addBytes(byte[] bytes) {
    int i = 0;
    while (i < bytes.length) {
      int bucket = bytes[i++] & 0xff;
      long count = 0;
      int shift = 0;
      while (i < bytes.length) {
        byte part = bytes[i++];
        count |= (long) (part & 0x7f) << shift;
        shift += 7;
        if (part >= 0 || shift > 28) {
          break;
        }
      }
      if (bucket < BUCKETS) {
        counts[bucket] += count;
      }
    }
  }
}
