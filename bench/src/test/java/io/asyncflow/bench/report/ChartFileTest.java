package io.asyncflow.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.bench.contest.BarChart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChartFileTest {

  @TempDir Path directory;

  @Test
  void namesThatAreLongOrAlikeGetTheirOwnBars() throws Exception {
    Path file = directory.resolve("chart.png");
    BarChart chart =
        new BarChart(
            "ms",
            List.of(
                "getTaskList?taskType=bench&status=1",
                "getTaskList?taskType=bench&status=4",
                "10,000 waiting, an old snapshot open"),
            Map.of("p50", List.of(1.0, 2.0, 3.0), "p99", List.of(4.0, 5.0, 0.0)));

    ChartFile.write(chart, "a title", file);

    assertThat(ImageIO.read(file.toFile()).getWidth()).isEqualTo(900);
    assertThat(Files.size(file)).isPositive();
  }
}
