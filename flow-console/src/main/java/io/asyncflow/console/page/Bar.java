package io.asyncflow.console.page;

import io.asyncflow.api.Job;
import io.asyncflow.api.bulk.Bulk;
import io.asyncflow.api.bulk.BulkState;
import io.asyncflow.api.stats.BoundedCount.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How far a job or a bulk is, as pieces of a bar of {@link #WIDTH}.
 *
 * @param percent {@code null} while nothing says how many tasks there are
 * @param handled so many tasks have ended, or the bulk is done with them
 */
public record Bar(List<Piece> pieces, Integer percent, long handled) {

  public static final int WIDTH = 1_000;

  /** So that a piece is seen, however few its tasks are. */
  private static final int LEAST = 8;

  private static final List<String> KINDS = List.of("success", "failed", "cancelled");

  /**
   * A piece of the bar.
   *
   * @param kind the status that colours it
   * @param from where it begins
   */
  public record Piece(String kind, int from, int width) {}

  /** The children of a job that have ended. */
  public static Bar of(Job job) {
    int total = job.total() == null ? 0 : job.total();
    long ended = (long) job.done() + job.failed() + job.cancelled();
    int percent = total == 0 ? job.state().isFinal() ? 100 : 0 : (int) (100L * ended / total);
    int[] counts = {job.done(), job.failed(), job.cancelled()};
    return new Bar(total == 0 ? List.of() : pieces(KINDS, counts, total, 1), percent, ended);
  }

  /**
   * The tasks of a bulk on which it has acted, or has found that it cannot or need not. A bulk ends
   * with the last of its tasks or at its cap: the bar shows which of the two is nearer.
   */
  public static Bar of(Bulk bulk) {
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
    int[] counts = {bulk.done(), bulk.skipped(), bulk.refused()};
    return new Bar(
        pieces(List.of("success", "cancelled", "failed"), counts, handled, share),
        hasEnd ? Integer.valueOf((int) (100 * share)) : null,
        handled);
  }

  public static long handled(Bulk bulk) {
    return (long) bulk.done() + bulk.skipped() + bulk.refused();
  }

  /**
   * Each count as its part of a share of the bar.
   *
   * @param all that the share stands for
   */
  private static List<Piece> pieces(List<String> kinds, int[] counts, long all, double share) {
    List<Piece> pieces = new ArrayList<>();
    int from = 0;
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        int after = (int) IntStream.range(i + 1, counts.length).filter(j -> counts[j] > 0).count();
        int width = (int) Math.max(LEAST, WIDTH * share * counts[i] / all);
        int end = Math.min(WIDTH - LEAST * after, from + width);
        pieces.add(new Piece(kinds.get(i), from, end - from));
        from = end;
      }
    }
    return List.copyOf(pieces);
  }
}
