package io.asyncflow.flowsvr.index;

import io.asyncflow.api.find.SearchOrder;
import io.asyncflow.flowsvr.index.RangeStore.Entry;
import io.asyncflow.flowsvr.index.RangeStore.Piece;
import io.asyncflow.flowsvr.index.RangeStore.Test;
import io.asyncflow.rules.TaskId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

/**
 * Goes through several ranges in one order. Of each range two entries are read at the begin, and
 * more of it, in growing pieces, once it is the range's turn. So ranges that are never reached,
 * such as those of old tables, cost two entries each. Not thread-safe.
 */
public final class RangeMerge {

  /** The entries of each range that are read at the begin; of fewer there are no more. */
  private static final int HEAD = 2;

  /** The entries of the first piece of a range, if fewer are wanted. */
  private static final int FIRST = 25;

  private static final int GROWTH = 4;

  /** A piece that took less is followed by a longer one. */
  private static final long QUICK = TimeUnit.MILLISECONDS.toNanos(25);

  /** A piece that took more is followed by a shorter one, so that no statement takes too long. */
  private static final long SLOW = TimeUnit.MILLISECONDS.toNanos(100);

  private final RangeStore store;
  private final SearchOrder order;
  private final Test test;
  private final Bounds bounds;
  private final BiFunction<IndexRange, Long, Optional<Known>> shortcut;
  private final LongSupplier nanoTime;
  private final long begin;
  private final PriorityQueue<Part> parts;
  private int room;
  private int pieces;

  /**
   * The bounds of a page.
   *
   * @param longestPiece the most entries of a piece
   * @param together the most ranges whose first pieces are read by one statement
   * @param most the most entries to read, beside the first ones of each range
   * @param wanted how many tasks the caller would like to find
   * @param nanos after which no further statement begins, but for the first
   */
  public record Bounds(int longestPiece, int together, int most, int wanted, long nanos) {}

  /**
   * The numbers of a range, in the order of creation, that are known to fit.
   *
   * @param floor above which they are all of them; 0 if no entry is lower
   */
  public record Known(List<Long> numbers, long floor) {}

  /**
   * What was found.
   *
   * @param last the place of the last entry that was looked at; {@code null} if none was
   * @param looked how many entries were looked at
   * @param isEnd whether there are no more
   */
  public record Page(List<TaskId> ids, Position last, int looked, boolean isEnd) {}

  private static final class Part {
    private final IndexRange range;
    private final Deque<Entry> read;
    private int nextPiece;
    private boolean isBegun;
    private boolean isAsked;

    private Part(IndexRange range, List<Entry> head, int nextPiece) {
      this.range = range;
      this.read = new ArrayDeque<>(head);
      this.nextPiece = nextPiece;
    }

    private void take(Known known) {
      long last = read.getLast().at().number();
      known.numbers().stream()
          .filter(number -> number < last)
          .sorted(Comparator.reverseOrder())
          .forEach(number -> add(number, true));
      if (known.floor() == 0) {
        nextPiece = 0;
      } else {
        add(known.floor(), false); // what is below is read on
      }
    }

    private void add(long number, boolean fits) {
      read.add(new Entry(range.table(), new Position(number, number), fits));
    }
  }

  /**
   * Reads the first entries of each range.
   *
   * @param after {@code null} for the first page
   * @param shortcut what is known to fit in a range below a number; asked once of each range whose
   *     first piece was not enough
   * @param nanoTime the monotonic clock
   */
  public RangeMerge(
      RangeStore store,
      List<IndexRange> ranges,
      SearchOrder order,
      Position after,
      Test test,
      Bounds bounds,
      BiFunction<IndexRange, Long, Optional<Known>> shortcut,
      LongSupplier nanoTime) {
    this.store = store;
    this.order = order;
    this.test = test;
    this.bounds = bounds;
    this.shortcut = shortcut;
    this.nanoTime = nanoTime;
    this.begin = nanoTime.getAsLong();
    this.room = bounds.most();
    this.parts =
        new PriorityQueue<>(
            Comparator.comparing(part -> part.read.getFirst().at(), Position.in(order)));
    int first = Math.min(bounds.longestPiece(), Math.max(FIRST, bounds.wanted()));
    List<Piece> begins = ranges.stream().map(range -> new Piece(range, after)).toList();
    List<List<Entry>> heads = store.read(begins, order, test, HEAD);
    for (int i = 0; i < heads.size(); i++) {
      List<Entry> head = heads.get(i);
      if (!head.isEmpty()) {
        parts.add(new Part(ranges.get(i), head, head.size() < HEAD ? 0 : first));
      }
    }
  }

  /** Goes on until so many tasks are found, or the room or the time is over. */
  public Page page(int limit) {
    List<TaskId> found = new ArrayList<>();
    Position last = null;
    int looked = 0;
    while (!parts.isEmpty() && found.size() < limit && mayGoOn(parts.peek())) {
      Part part = parts.poll();
      Entry entry = part.read.poll();
      if (!part.read.isEmpty()) {
        parts.add(part);
      }
      looked++;
      last = entry.at();
      if (entry.fits()) {
        found.add(new TaskId(last.number(), entry.table()));
      }
    }
    return new Page(found, last, looked, parts.isEmpty());
  }

  /** Whether the entry behind the first one of a range is known; reads it if need be. */
  private boolean mayGoOn(Part part) {
    if (part.read.size() > 1 || part.nextPiece == 0) {
      return true;
    }
    if (part.isBegun && !part.isAsked) {
      part.isAsked = true;
      Optional<Known> known = shortcut.apply(part.range, part.read.getLast().at().number());
      if (known.isPresent()) {
        part.take(known.get());
        return true;
      }
    }
    if (room <= 0 || pieces > 0 && nanoTime.getAsLong() - begin > bounds.nanos()) {
      return false;
    }
    readOn(
        part.isBegun
            ? List.of(part)
            : parts.stream()
                .filter(other -> !other.isBegun && other.nextPiece > 0)
                .sorted(parts.comparator())
                .limit(bounds.together())
                .toList());
    return true;
  }

  /** Reads the piece after the last entry of each that was read. */
  private void readOn(List<Part> some) {
    int piece = Math.min(some.get(0).nextPiece, room);
    List<Piece> next =
        some.stream().map(part -> new Piece(part.range, part.read.getLast().at())).toList();
    long asked = nanoTime.getAsLong();
    List<List<Entry>> more = store.read(next, order, test, piece);
    long took = nanoTime.getAsLong() - asked;
    pieces++;
    for (int i = 0; i < some.size(); i++) {
      Part part = some.get(i);
      part.isBegun = true;
      part.read.addAll(more.get(i));
      part.nextPiece = more.get(i).size() < piece ? 0 : after(piece, took);
      room -= more.get(i).size();
    }
  }

  private int after(int piece, long took) {
    if (took > SLOW) {
      return Math.max(FIRST, piece / GROWTH);
    }
    return took < QUICK ? Math.min(bounds.longestPiece(), piece * GROWTH) : piece;
  }
}
