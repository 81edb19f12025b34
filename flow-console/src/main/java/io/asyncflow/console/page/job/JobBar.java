package io.asyncflow.console.page.job;

import io.asyncflow.api.Job;
import java.util.ArrayList;
import java.util.List;

/**
 * How far a job is, as pieces of a bar of {@link #WIDTH}.
 *
 * @param percent of the children that have ended
 */
public record JobBar(List<Piece> pieces, int percent) {

  public static final int WIDTH = 1_000;

  /**
   * A piece of the bar.
   *
   * @param kind the status that colours it
   * @param from where it begins
   */
  public record Piece(String kind, int from, int width) {}

  public static JobBar of(Job job) {
    int total = job.total() == null ? 0 : job.total();
    int ended = job.done() + job.failed() + job.cancelled();
    List<Piece> pieces = new ArrayList<>();
    if (total > 0) {
      int from = add(pieces, "success", job.done(), 0, total);
      from = add(pieces, "failed", job.failed(), from, total);
      add(pieces, "cancelled", job.cancelled(), from, total);
    }
    int percent = total == 0 ? job.state().isFinal() ? 100 : 0 : (int) (100L * ended / total);
    return new JobBar(List.copyOf(pieces), percent);
  }

  /** A piece is seen, however few its children are. */
  private static int add(List<Piece> pieces, String kind, int count, int from, int total) {
    if (count == 0) {
      return from;
    }
    int width = (int) Math.max(8, Math.min(WIDTH - from, (long) WIDTH * count / total));
    pieces.add(new Piece(kind, from, width));
    return from + width;
  }
}
