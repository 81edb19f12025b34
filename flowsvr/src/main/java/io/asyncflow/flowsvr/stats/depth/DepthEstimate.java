package io.asyncflow.flowsvr.stats.depth;

import io.asyncflow.flowsvr.stats.depth.DepthStore.Range;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

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

  /** A part of a range, and how many tasks it is taken for. */
  private record Part(Range range, long tasks) {

    boolean isDivisible() {
      return range.to() - range.from() >= FURTHER_PARTS;
    }
  }

  /** The numbers of tasks in each of these ranges; empty if the time was over before. */
  List<Long> of(List<Range> ranges) {
    if (isOver.getAsBoolean()) {
      return List.of();
    }
    List<List<Part>> parts = guessed(ranges.stream().map(List::of).toList());
    for (int i = 0; i <= FURTHER_CUTS; i++) {
      int pieces = i == 0 ? PARTS : FURTHER_PARTS;
      List<List<Range>> toCut = parts.stream().map(DepthEstimate::tooLarge).toList();
      if (toCut.stream().allMatch(List::isEmpty)) {
        break;
      }
      if (isOver.getAsBoolean()) {
        return List.of(); // a part with most of the tasks may be far off
      }
      List<List<Part>> smaller =
          guessed(
              toCut.stream()
                  .map(of -> of.stream().flatMap(range -> cut(range, pieces).stream()).toList())
                  .toList());
      parts = replaced(parts, toCut, smaller);
    }
    return parts.stream().map(DepthEstimate::sum).toList();
  }

  private static List<Range> tooLarge(List<Part> parts) {
    long sum = sum(parts);
    return parts.stream()
        .filter(part -> part.tasks() > sum / SHARE)
        .filter(part -> part.tasks() > counted(part.range().place()) / 2)
        .filter(Part::isDivisible)
        .map(Part::range)
        .toList();
  }

  private static List<List<Part>> replaced(
      List<List<Part>> parts, List<List<Range>> cut, List<List<Part>> by) {
    List<List<Part>> all = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      List<Range> gone = cut.get(i);
      List<Part> some =
          new ArrayList<>(parts.get(i).stream().filter(p -> !gone.contains(p.range())).toList());
      some.addAll(by.get(i));
      all.add(some);
    }
    return all;
  }

  private static long sum(List<Part> parts) {
    return parts.stream().mapToLong(Part::tasks).sum();
  }

  /** Asks for all parts together, a few statements in all. */
  private List<List<Part>> guessed(List<List<Range>> ranges) {
    List<Range> flat = ranges.stream().flatMap(List::stream).toList();
    List<Long> said = new ArrayList<>();
    for (int start = 0; start < flat.size(); start += STATEMENT) {
      said.addAll(guesses.apply(flat.subList(start, Math.min(start + STATEMENT, flat.size()))));
    }
    List<List<Part>> parts = new ArrayList<>();
    int next = 0;
    for (List<Range> some : ranges) {
      List<Part> ofSome = new ArrayList<>();
      for (Range range : some) {
        ofSome.add(new Part(range, taken(range.place(), said.get(next++))));
      }
      parts.add(ofSome);
    }
    return parts;
  }

  /** 1 is what an engine says of nothing. */
  private static long taken(Place place, long guess) {
    return guess <= 1 ? 0 : guess <= counted(place) ? guess : guess / 2;
  }

  /**
   * Up to here a guess is a count: as many entries as the counted pages have room for. Pages are at
   * least half full, so a guess that was doubled is beyond it.
   */
  private static long counted(Place place) {
    int texts = (place.stage() + place.lane()).getBytes(StandardCharsets.UTF_8).length;
    return PAGES_COUNTED * PAGE / (ENTRY + texts);
  }

  private static List<Range> cut(Range range, int parts) {
    long length = range.to() - range.from();
    int most = (int) Math.max(1, Math.min(parts, length));
    List<Range> cut = new ArrayList<>(most);
    for (int i = 0; i < most; i++) {
      cut.add(
          new Range(
              range.place(),
              range.from() + (long) ((double) length * i / most),
              i == most - 1
                  ? range.to()
                  : range.from() + (long) ((double) length * (i + 1) / most)));
    }
    return cut;
  }
}
