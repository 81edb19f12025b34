package io.asyncflow.bench.report;

import io.asyncflow.bench.contest.BarChart;
import java.awt.Color;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;

/** Draws a {@link BarChart} as a PNG. */
public final class ChartFile {

  private static final int WIDTH = 900;
  private static final int HEIGHT = 420;
  private static final int LONGEST_LABEL = 26;

  private ChartFile() {}

  /**
   * @throws IOException if it cannot be written, or if this JVM cannot draw: text needs a font,
   *     which a small container may lack
   */
  public static void write(BarChart bars, String title, Path file) throws IOException {
    System.setProperty("java.awt.headless", "true");
    try (OutputStream out = Files.newOutputStream(file)) {
      BitmapEncoder.saveBitmap(draw(bars, title), out, BitmapFormat.PNG);
    } catch (RuntimeException | LinkageError | InternalError e) {
      Files.deleteIfExists(file);
      throw new IOException("this JVM cannot draw: " + e, e);
    }
  }

  private static CategoryChart draw(BarChart bars, String title) {
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .yAxisTitle(bars.axis())
            .build();
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setLabelsVisible(true);
    chart.getStyler().setXAxisLabelRotation(bars.names().size() > 4 ? 20 : 0);
    chart.getStyler().setLegendVisible(bars.series().size() > 1);
    chart.getStyler().setLegendPosition(LegendPosition.InsideNW);
    chart.getStyler().setDecimalPattern(highest(bars) < 100 ? "#,##0.##" : "#,##0");
    List<String> labels = bars.names().stream().map(ChartFile::label).toList();
    bars.series().forEach((name, values) -> chart.addSeries(name, labels, values));
    return chart;
  }

  private static double highest(BarChart bars) {
    return bars.series().values().stream()
        .flatMap(List::stream)
        .mapToDouble(Double::doubleValue)
        .max()
        .orElse(0);
  }

  /** Names are sentences at times; the table beside the chart has them whole. */
  private static String label(String name) {
    return name.length() <= LONGEST_LABEL ? name : name.substring(0, LONGEST_LABEL - 1) + "…";
  }
}
