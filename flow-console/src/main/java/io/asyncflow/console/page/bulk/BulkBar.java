package io.asyncflow.console.page.bulk;

import io.asyncflow.api.bulk.Bulk;
import io.asyncflow.api.bulk.BulkState;
import java.util.ArrayList;
import java.util.List;

/**
 * How far a bulk is, as pieces of a bar of {@link #WIDTH}.
 *
 * @param percent of the tasks that were counted
 */
public record BulkBar(List<Piece> pieces, int percent) {

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
    long handled = (long) bulk.done() + bulk.skipped() + bulk.refused();
    long total = Math.max(1, Math.max(handled, Math.min(bulk.count().count(), bulk.cap())));
    List<Piece> pieces = new ArrayList<>();
    int from = add(pieces, "success", bulk.done(), 0, total);
    from = add(pieces, "cancelled", bulk.skipped(), from, total);
    add(pieces, "failed", bulk.refused(), from, total);
    boolean isDone = bulk.state() == BulkState.DONE;
    return new BulkBar(List.copyOf(pieces), isDone ? 100 : (int) (100 * handled / total));
  }

  private static int add(List<Piece> pieces, String kind, long count, int from, long total) {
    if (count == 0) {
      return from;
    }
    int width = (int) Math.max(LEAST, Math.min(WIDTH - from, WIDTH * count / total));
    pieces.add(new Piece(kind, from, width));
    return from + width;
  }
}
