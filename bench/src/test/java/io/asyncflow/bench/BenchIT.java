package io.asyncflow.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole bench with a tiny N, so that it cannot rot; what it measures here means nothing. */
@Tag("contract")
class BenchIT {

  @TempDir Path directory;

  @Test
  void allContestsAreHeldAndTheRatiosComeLast() throws Exception {
    Path file = directory.resolve("bench.md");
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--n", "300", "--rounds", "1", "--report", file.toString()));
    if ("mysql8".equals(System.getProperty("asyncflow.test.database"))) {
      arguments.add("--mysql8");
    }
    ByteArrayOutputStream console = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(console, true, StandardCharsets.UTF_8);

    // A contender that lost a task, or did one twice, throws.
    Report report =
        new Bench(BenchOptions.parse(arguments, Map.of()), Checkout.current(), out).run();

    assertThat(report.standings()).hasSize(3);
    assertThat(report.findings())
        .extracting(Finding::what)
        .containsExactly(
            "lives/s: flowsvr + SDK, createTasks of 500 against raw JDBC, 4 threads × 100 rows",
            "creates/s: flowsvr, createTask, 32 clients against raw JDBC, one row a commit,"
                + " 32 connections",
            "create to start, idle, p50 / p99 / max");
    assertThat(report.conditions().lines())
        .containsEntry("durable", "yes")
        .containsKeys("commit", "JDK", "machine", "settings");
    assertThat(Files.readString(file)).isEqualTo(report.markdown());
    assertThat(console.toString(StandardCharsets.UTF_8)).contains("CPU unused", "## Findings");
  }
}
