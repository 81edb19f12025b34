package io.asyncflow.console.page.job;

import io.asyncflow.api.find.JobMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The children of a job as cells of a picture, a hundred in a row: one path a status, however many
 * cells there are. Pure.
 *
 * @param letters one a cell, as {@code job/getJobMap} has them
 * @param childrenOfCell 1, or 20 of which the cell shows the status that asks for attention most
 * @param counts of children, by letter
 * @param progress per cent of executing children, as {@code index:percent} with commas between
 */
public record JobMapView(
    String letters,
    int childrenOfCell,
    int total,
    List<Shape> shapes,
    Map<Character, Integer> counts,
    String progress) {

  public static final int COLUMNS = 100;
  public static final int CELL = 10;

  /** More children than this share cells. */
  static final int MOST_CELLS = 5_000;

  static final int CHILDREN_OF_CELL = 20;

  /** Letters, those first that ask for attention. */
  private static final String ORDER = "fcprwq-s";

  /** The cells of one letter. */
  public record Shape(String kind, String path) {}

  /**
   * @param stretches that follow each other, from the first child on
   */
  static JobMapView of(List<JobMap> stretches) {
    String children = stretches.stream().map(JobMap::map).collect(Collectors.joining());
    int each = children.length() > MOST_CELLS ? CHILDREN_OF_CELL : 1;
    String cells = each == 1 ? children : shared(children, each);
    Map<Character, Integer> counts = new LinkedHashMap<>();
    for (char letter : "sfcrpwq-".toCharArray()) {
      int count = (int) children.chars().filter(c -> c == letter).count();
      if (count > 0) {
        counts.put(letter, count);
      }
    }
    String progress =
        each > 1
            ? ""
            : stretches.stream()
                .filter(stretch -> stretch.progress() != null)
                .flatMap(stretch -> stretch.progress().entrySet().stream())
                .map(child -> child.getKey() + ":" + child.getValue())
                .collect(Collectors.joining(","));
    return new JobMapView(cells, each, children.length(), shapes(cells), counts, progress);
  }

  private static String shared(String children, int each) {
    StringBuilder cells = new StringBuilder();
    for (int at = 0; at < children.length(); at += each) {
      String ofCell = children.substring(at, Math.min(at + each, children.length()));
      char shown =
          (char)
              ORDER.chars().filter(letter -> ofCell.indexOf(letter) >= 0).findFirst().orElse('q');
      cells.append(shown);
    }
    return cells.toString();
  }

  /** Cells side by side are one line, which a pattern of dashes cuts into cells. */
  private static List<Shape> shapes(String cells) {
    Map<Character, StringBuilder> paths = new LinkedHashMap<>();
    int at = 0;
    while (at < cells.length()) {
      char letter = cells.charAt(at);
      int end = at + 1;
      while (end < cells.length() && end % COLUMNS != 0 && cells.charAt(end) == letter) {
        end++;
      }
      paths
          .computeIfAbsent(letter, any -> new StringBuilder())
          .append('M')
          .append(at % COLUMNS * CELL)
          .append(' ')
          .append(at / COLUMNS * CELL + CELL / 2)
          .append('h')
          .append((end - at) * CELL - 1);
      at = end;
    }
    List<Shape> shapes = new ArrayList<>();
    paths.forEach((letter, path) -> shapes.add(new Shape(kindOf(letter), path.toString())));
    return shapes;
  }

  /** The name of a letter, in classes and in keys of words. */
  public static String kindOf(char letter) {
    return switch (letter) {
      case 's' -> "success";
      case 'f' -> "failed";
      case 'c' -> "cancelled";
      case 'r' -> "executing";
      case 'p' -> "paused";
      case 'w' -> "waiting";
      case '-' -> "gone";
      default -> "staged";
    };
  }

  public int height() {
    return Math.max(1, (letters.length() + COLUMNS - 1) / COLUMNS) * CELL;
  }
}
