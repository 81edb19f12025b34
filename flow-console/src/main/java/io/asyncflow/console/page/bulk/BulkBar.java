package io.asyncflow.console.page.bulk;

import io.asyncflow.api.bulk.Bulk;
import io.asyncflow.api.bulk.BulkState;
import io.asyncflow.api.stats.BoundedCount.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * How far a bulk is, as pieces of a bar of {@link #WIDTH}. A bulk ends with the last of its tasks
 * or at its cap: the bar shows which of the two is nearer.
 *
 * @param percent {@code null} while nothing says how many tasks there are
 * @param handled on so many tasks it has acted, or has found that it cannot or need not
 */
public record BulkBar(List<Piece> pieces, Integer percent, long handled) {

  public static final int WIDTH = 1_000;

  /** So that a piece is seen, however few its tasks are. */
  private static final int LEAST = 8;

  /**
   * A piece of the bar.
   *
   * @param kind the status that colours it
   * @param from where it begins
   */
  public record Piece(String kind, int from, int width) {}

  public static BulkBar of(Bulk bulk) {
    long handled = handled(bulk);
    long count = bulk.count().count();
    boolean isExact = bulk.count().kind() == Kind.EXACT;
    double share = (double) bulk.done() / Math.max(1, bulk.cap());
    if (isExact) {
      share = Math.max(share, (double) handled / Math.max(1, count));
    }
    boolean isDone = bulk.state() == BulkState.DONE;
    share = isDone ? 1 : Math.min(1, share);
    boolean hasEnd = isDone || isExact || count >= bulk.cap();
    return new BulkBar(
        pieces(bulk, handled, share),
        hasEnd ? Integer.valueOf((int) (100 * share)) : null,
        handled);
  }

  static long handled(Bulk bulk) {
    return (long) bulk.done() + bulk.skipped() + bulk.refused();
  }

  /** Each of what was handled, as its part of this share of the bar. */
  private static List<Piece> pieces(Bulk bulk, long handled, double share) {
    List<Piece> pieces = new ArrayList<>();
    int from = 0;
    String[] kinds = {"success", "cancelled", "failed"};
    int[] counts = {bulk.done(), bulk.skipped(), bulk.refused()};
    for (int i = 0; i < kinds.length; i++) {
      if (counts[i] > 0) {
        int width = (int) Math.max(LEAST, WIDTH * share * counts[i] / handled);
        int end = Math.min(WIDTH - LEAST * others(counts, i), from + width);
        pieces.add(new Piece(kinds[i], from, end - from));
        from = end;
      }
    }
    return List.copyOf(pieces);
  }

  /** How many pieces come after this one. */
  private static int others(int[] counts, int index) {
    int others = 0;
    for (int i = index + 1; i < counts.length; i++) {
      others += counts[i] > 0 ? 1 : 0;
    }
    return others;
  }
}
