package io.asyncflow.flowsvr.pulse.count;

import java.util.Arrays;

/**
 * The buckets of {@link Histogram}, each cut in two where one of the {@link Objectives} lies in it:
 * so one count tells both histograms.
 */
final class Cells {

  /** The number of cells. */
  static final int NUMBER;

  private static final int[] FIRST_OF_BUCKET = new int[Histogram.BUCKETS];

  /** The objective that cuts a bucket. */
  private static final long[] CUT = new long[Histogram.BUCKETS];

  private static final int[] BUCKET;
  private static final int[] OBJECTIVE;

  static {
    int most = Histogram.BUCKETS + Objectives.MS.length;
    int[] bucketOf = new int[most];
    int[] objectiveOf = new int[most];
    int cells = 0;
    int objective = 0;
    for (int bucket = 0; bucket < Histogram.BUCKETS; bucket++) {
      FIRST_OF_BUCKET[bucket] = cells;
      CUT[bucket] = Long.MAX_VALUE;
      bucketOf[cells] = bucket;
      objectiveOf[cells++] = objective;
      if (objective < Objectives.MS.length
          && Histogram.bucketOf(Objectives.MS[objective]) == bucket) {
        CUT[bucket] = Objectives.MS[objective++];
        bucketOf[cells] = bucket;
        objectiveOf[cells++] = objective;
      }
    }
    NUMBER = cells;
    BUCKET = Arrays.copyOf(bucketOf, cells);
    OBJECTIVE = Arrays.copyOf(objectiveOf, cells);
  }

  private Cells() {}

  static int of(long ms) {
    int bucket = Histogram.bucketOf(ms);
    return FIRST_OF_BUCKET[bucket] + (ms > CUT[bucket] ? 1 : 0);
  }

  /** Its bucket of {@link Histogram}. */
  static int bucketOf(int cell) {
    return BUCKET[cell];
  }

  /** The first of the {@link Objectives} that is met; their number if none is. */
  static int objectiveOf(int cell) {
    return OBJECTIVE[cell];
  }
}
