package io.asyncflow.flowsvr.operate.search;

import io.asyncflow.api.find.SearchOrder;
import io.asyncflow.flowsvr.operate.search.SearchStore.Entry;
import io.asyncflow.flowsvr.operate.search.SearchStore.Look;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Goes through several ranges in one order. Of each range two entries are read at the begin, and
 * more of it, in growing pieces, once it is the range's turn. So ranges that are never reached,
 * such as those of old tables, cost two entries each. Not thread-safe.
 */
final class RangeMerge {

  /** The entries of each range that are read at the begin; of fewer there are no more. */
  private static final int HEAD = 2;

  /** The entries of the first piece of a range, if fewer are wanted. */
  private static final int FIRST = 25;

  private static final int GROWTH = 4;

  /** A piece that took less is followed by a longer one. */
  private static final long QUICK = TimeUnit.MILLISECONDS.toNanos(25);

  /** A piece that took more is followed by a shorter one, so that no statement takes too long. */
  private static final long SLOW = TimeUnit.MILLISECONDS.toNanos(100);

  private final SearchStore store;
  private final Look look;
  private final Bounds bounds;
  private final LongSupplier nanoTime;
  private final long begin;
  private final PriorityQueue<Source> sources;
  private int room;
  private int pieces;

  /**
   * The bounds of a page.
   *
   * @param longestPiece the most entries of a statement
   * @param most the most entries to read, beside the first ones of each range
   * @param wanted how many tasks the caller would like to find
   * @param nanos after which no further statement begins, but for the first
   */
  record Bounds(int longestPiece, int most, int wanted, long nanos) {}

  private static final class Source {
    private final IndexRange range;
    private final Deque<Entry> read = new ArrayDeque<>();
    private int nextPiece;

    private Source(IndexRange range, List<Entry> head, int nextPiece) {
      this.range = range;
      this.read.addAll(head);
      this.nextPiece = nextPiece;
    }
  }

  /**
   * Reads the first entries of each range.
   *
   * @param nanoTime the monotonic clock
   */
  RangeMerge(
      SearchStore store, List<IndexRange> ranges, Look look, Bounds bounds, LongSupplier nanoTime) {
    this.store = store;
    this.look = look;
    this.bounds = bounds;
    this.nanoTime = nanoTime;
    this.begin = nanoTime.getAsLong();
    this.room = bounds.most();
    SearchOrder order = look.order();
    this.sources =
        new PriorityQueue<>(
            Comparator.comparing(source -> source.read.getFirst().at(), Position.in(order)));
    List<List<Entry>> heads = store.heads(ranges, look, HEAD);
    int first = Math.min(bounds.longestPiece(), Math.max(FIRST, bounds.wanted()));
    for (int i = 0; i < heads.size(); i++) {
      List<Entry> head = heads.get(i);
      if (!head.isEmpty()) {
        sources.add(new Source(ranges.get(i), head, head.size() < HEAD ? 0 : first));
      }
    }
  }

  boolean isOver() {
    return sources.isEmpty();
  }

  /** The next entry; {@code null} if the room or the time for another statement is over. */
  Entry next() {
    Source source = sources.peek();
    boolean needsMore = source.read.size() == 1 && source.nextPiece > 0;
    if (needsMore && (room <= 0 || pieces > 0 && isTimeOver())) {
      return null;
    }
    sources.poll();
    if (needsMore) {
      readOn(source);
    }
    Entry entry = source.read.poll();
    if (!source.read.isEmpty()) {
      sources.add(source);
    }
    return entry;
  }

  private boolean isTimeOver() {
    return nanoTime.getAsLong() - begin > bounds.nanos();
  }

  /** Reads the piece after the last entry that was read. */
  private void readOn(Source source) {
    int piece = Math.min(source.nextPiece, room);
    Look rest = new Look(look.filter(), look.order(), source.read.getLast().at());
    long asked = nanoTime.getAsLong();
    List<Entry> more = store.read(source.range, rest, piece);
    long took = nanoTime.getAsLong() - asked;
    source.read.addAll(more);
    room -= more.size();
    pieces++;
    boolean isEnd = more.size() < piece;
    source.nextPiece = isEnd ? 0 : after(piece, took);
  }

  private int after(int piece, long took) {
    if (took > SLOW) {
      return Math.max(FIRST, piece / GROWTH);
    }
    return took < QUICK ? Math.min(bounds.longestPiece(), piece * GROWTH) : piece;
  }
}
