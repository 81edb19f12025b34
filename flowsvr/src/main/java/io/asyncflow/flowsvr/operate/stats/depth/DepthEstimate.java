package io.asyncflow.flowsvr.operate.stats.depth;

import static java.util.stream.Collectors.partitioningBy;

import io.asyncflow.flowsvr.base.system.db.StatementGroups;
import io.asyncflow.flowsvr.task.index.Range;
import io.asyncflow.flowsvr.task.index.Source;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Estimates how many tasks lie in ranges of {@code idx_claim} by what the optimizer guesses of
 * their parts: two accesses to the index a part, however many tasks there are.
 *
 * <p>InnoDB counts a range of up to about ten pages exactly. Of a longer one it doubles what it
 * extrapolates, and cuts that at half of the table. So what is said of a small range is believed; a
 * large one is cut into parts of equal time, of which the same holds, and of large parts half. A
 * part with much of the sum is cut again, because the tasks may be anything but even in time: one
 * that has been due for a month would otherwise leave all others in one part.
 */
final class DepthEstimate {

  private static final int PARTS = 32;
  private static final int FURTHER_PARTS = 8;
  private static final int FURTHER_CUTS = 3;

  /** A part with more than this share of the sum is cut again. */
  private static final int SHARE = 8;

  /** How many leaf pages are counted, with the two that a range begins and ends in. */
  private static final int PAGES_COUNTED = 11;

  /** Bytes of entries in a full page. */
  private static final int PAGE = 16_000;

  /** Bytes of an entry without its stage and its lane. */
  private static final int ENTRY = 24;

  /** The most parts of a statement. */
  private static final int STATEMENT = PARTS * 5;

  private final Function<List<Range>, List<Long>> guesses;
  private final BooleanSupplier isOver;

  /**
   * @param guesses what the optimizer says of each of these ranges
   * @param isOver whether there is no time for another statement
   */
  DepthEstimate(Function<List<Range>, List<Long>> guesses, BooleanSupplier isOver) {
    this.guesses = guesses;
    this.isOver = isOver;
  }

  /**
   * A part of a range, and how many tasks it is taken for.
   *
   * @param of which of the ranges
   */
  private record Part(int of, Range range, long tasks) {

    private boolean isTooLarge(long sum) {
      return tasks > sum / SHARE
          && tasks > counted(range.source()) / 2
          && range.to() - range.from() >= FURTHER_PARTS;
    }

    private Stream<Part> cut(int pieces) {
      long length = range.to() - range.from();
      long most = Math.min(pieces, length);
      LongUnaryOperator begin =
          i -> i == most ? range.to() : range.from() + (long) ((double) length * i / most);
      return LongStream.range(0, most)
          .mapToObj(i -> new Range(range.source(), begin.applyAsLong(i), begin.applyAsLong(i + 1)))
          .map(piece -> new Part(of, piece, 0));
    }
  }

  /** The numbers of tasks in each of these ranges; empty if the time was over before. */
  List<Long> of(List<Range> ranges) {
    List<Part> parts = new ArrayList<>();
    List<Part> unknown =
        IntStream.range(0, ranges.size()).mapToObj(i -> new Part(i, ranges.get(i), 0)).toList();
    long[] sums = new long[ranges.size()];
    for (int i = 0; !unknown.isEmpty(); i++) {
      if (isOver.getAsBoolean()) {
        return List.of(); // a part with most of the tasks may be far off
      }
      parts.addAll(guessed(unknown));
      Arrays.fill(sums, 0);
      parts.forEach(part -> sums[part.of()] += part.tasks());
      boolean isLast = i > FURTHER_CUTS;
      Map<Boolean, List<Part>> tooLarge =
          parts.stream()
              .collect(partitioningBy(part -> !isLast && part.isTooLarge(sums[part.of()])));
      parts = new ArrayList<>(tooLarge.get(false));
      int pieces = i == 0 ? PARTS : FURTHER_PARTS;
      unknown = tooLarge.get(true).stream().flatMap(part -> part.cut(pieces)).toList();
    }
    return Arrays.stream(sums).boxed().toList();
  }

  /** Asks for all parts together, a few statements in all. */
  private List<Part> guessed(List<Part> parts) {
    List<Long> said = new ArrayList<>();
    for (List<Part> some : StatementGroups.of(parts, STATEMENT)) {
      said.addAll(guesses.apply(some.stream().map(Part::range).toList()));
    }
    return IntStream.range(0, parts.size())
        .mapToObj(
            i -> {
              Part part = parts.get(i);
              return new Part(part.of(), part.range(), taken(part.range().source(), said.get(i)));
            })
        .toList();
  }

  /** 1 is what an engine says of nothing. */
  private static long taken(Source place, long guess) {
    return guess <= 1 ? 0 : guess <= counted(place) ? guess : guess / 2;
  }

  /**
   * Up to here a guess is a count: as many entries as the counted pages have room for. Pages are at
   * least half full, so a guess that was doubled is beyond it.
   */
  private static long counted(Source place) {
    int texts = (place.stage() + place.lane()).getBytes(StandardCharsets.UTF_8).length;
    return PAGES_COUNTED * PAGE / (ENTRY + texts);
  }
}
