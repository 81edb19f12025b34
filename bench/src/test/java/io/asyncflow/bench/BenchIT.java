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

/**
 * The whole bench once and with next to nothing, so that it cannot rot; what it measures here means
 * nothing.
 */
@Tag("contract")
class BenchIT {

  @TempDir Path directory;

  @Test
  void allContestsAreHeldAndTheFindingsComeLast() throws Exception {
    Path file = directory.resolve("bench.md");
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--peers", "--smoke", "--report", file.toString()));
    if (!"mysql8".equals(System.getProperty("asyncflow.test.database"))) {
      arguments.add("--mariadb");
    }
    ByteArrayOutputStream console = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(console, true, StandardCharsets.UTF_8);

    // A contender that lost a task throws.
    Report report =
        new Bench(BenchOptions.parse(arguments, Map.of()), Checkout.current(), out).run();

    assertThat(report.standings())
        .extracting(standings -> standings.contest().part())
        .containsExactly(Part.values());
    assertThat(report.findings())
        .extracting(Finding::what)
        .contains(
            "lives/s: flowsvr + SDK against raw JDBC, batches",
            "lives/s: flowsvr + SDK against seeds' design",
            "lives/s: flowsvr + SDK against db-scheduler",
            "lives/s: flowsvr + SDK against JobRunr",
            "creates/s: flowsvr + SDK against raw JDBC",
            "processed/s: 64 pollers against 16 pollers",
            "children/s: 1 job against 100 jobs",
            "create to start: flowsvr + SDK, p99",
            "hold of 100: 2,000 waiting, an old snapshot open, p99 against an empty table",
            "list: getUserTaskList?userId=user-7&limit=100, p95",
            "5 idle workers: database",
            "call: a table of 2,000 rows dropped, p99 against without a drop",
            "soak: growth of the live heap of flowsvr",
            "memory of flowsvr at the start",
            "memory of flowsvr at the end");
    assertThat(report.conditions().lines())
        .containsEntry("durable", "yes")
        .containsKeys("rounds", "commit", "JDK", "machine", "settings", "peers");
    assertThat(Files.readString(file)).contains("## Targets");
    assertThat(console.toString(StandardCharsets.UTF_8))
        .contains("CPU unused", Files.readString(file));
  }
}
