package io.asyncflow.console.page.task;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.find.HistoryEntry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * When a task waited and ran, as pieces of bars, one bar a stage. Pure.
 *
 * @param from epoch ms at which the bars begin
 * @param to epoch ms at which they end, but for what still lasts
 */
public record Timeline(List<Bar> bars, long from, long to) {

  public static final int WIDTH = 1_000;

  /** What still lasts has no end: it takes this much of the right end. */
  private static final int LASTING = 80;

  private static final int SMALLEST = 4;

  /** The time of one stage. */
  public record Bar(String stage, List<Piece> pieces) {}

  /**
   * A piece of a bar.
   *
   * @param kind {@code wait}, or the status that colours it
   */
  public record Piece(String kind, int x, int width) {}

  /** Whether a piece has this kind. */
  public boolean has(String kind) {
    return bars.stream()
        .flatMap(bar -> bar.pieces().stream())
        .anyMatch(piece -> piece.kind().equals(kind));
  }

  /**
   * @param entries in the order of their times, as {@code task/history} answers them
   */
  static Timeline of(List<HistoryEntry> entries, TaskStatus status) {
    if (entries.isEmpty()) {
      return new Timeline(List.of(), 0, 0);
    }
    long from = entries.stream().mapToLong(Timeline::begin).min().orElse(0);
    long to = entries.stream().mapToLong(HistoryEntry::time).max().orElse(0);
    Scale scale =
        new Scale(from, Math.max(to, from + 1), status.isFinal() ? WIDTH : WIDTH - LASTING);
    Map<String, List<Piece>> bars = new LinkedHashMap<>();
    for (HistoryEntry entry : entries) {
      if (entry.stage() == null || entry.kind().equals("CURRENT")) {
        continue;
      }
      List<Piece> bar = bars.computeIfAbsent(entry.stage(), stage -> new ArrayList<>());
      long held = held(entry);
      long waited = entry.waitMs() == null ? 0 : entry.waitMs();
      if (waited > 0) {
        bar.add(scale.piece("wait", held - waited, held));
      }
      bar.add(
          entry.kind().equals("HELD")
              ? scale.lasting("executing", held)
              : scale.piece(colour(entry), held, entry.time()));
    }
    HistoryEntry last = entries.get(entries.size() - 1);
    if (status == TaskStatus.WAITING || status == TaskStatus.PAUSED) {
      String stage = last.stage() == null ? "" : last.stage();
      bars.computeIfAbsent(stage, name -> new ArrayList<>())
          .add(
              scale.lasting(
                  status == TaskStatus.PAUSED ? "paused" : "wait", lastEnd(entries, from)));
    }
    return new Timeline(
        bars.entrySet().stream().map(bar -> new Bar(bar.getKey(), bar.getValue())).toList(),
        from,
        to);
  }

  private static long held(HistoryEntry entry) {
    return entry.time() - (entry.costMs() == null ? 0 : entry.costMs());
  }

  private static long begin(HistoryEntry entry) {
    return held(entry) - (entry.waitMs() == null ? 0 : entry.waitMs());
  }

  /** When it began to wait for the last time. */
  private static long lastEnd(List<HistoryEntry> entries, long from) {
    return entries.stream()
        .filter(entry -> entry.kind().equals("REPORT") || entry.kind().equals("FAILURE"))
        .mapToLong(HistoryEntry::time)
        .reduce(from, (earlier, later) -> later);
  }

  private static String colour(HistoryEntry entry) {
    if (entry.verdict() != null) {
      return "failed";
    }
    return switch (entry.outcome() == null ? "" : entry.outcome()) {
      case "SUCCESS", "NEXT_STAGE" -> "success";
      case "RETRY", "FAIL" -> "failed";
      default -> "cancelled";
    };
  }

  /** Where times stand on a bar. */
  private record Scale(long from, long to, int width) {

    private int x(long time) {
      double part = (Math.max(from, Math.min(time, to)) - from) / (double) (to - from);
      return (int) Math.round(part * width);
    }

    /** A piece is seen, however short it is. */
    private Piece piece(String kind, long begin, long end) {
      int x = Math.min(x(begin), WIDTH - SMALLEST);
      return new Piece(kind, x, Math.max(SMALLEST, x(end) - x));
    }

    private Piece lasting(String kind, long begin) {
      int x = Math.min(x(begin), width);
      return new Piece(kind, x, WIDTH - x);
    }
  }
}
