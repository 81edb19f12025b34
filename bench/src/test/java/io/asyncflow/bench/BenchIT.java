package io.asyncflow.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.option.BenchOptions;
import io.asyncflow.bench.option.Checkout;
import io.asyncflow.bench.option.Part;
import io.asyncflow.bench.report.Report;
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
import picocli.CommandLine;

/**
 * The bench once and with next to nothing, so that it cannot rot; what it measures here means
 * nothing. All of it on the real MySQL, which it is for; one contest where no other test of a build
 * is as long.
 */
class BenchIT {

  @TempDir Path directory;

  @Test
  @Tag("faults") // it starts a server
  void aContestIsHeldAgainstThePeers() throws Exception {
    Report report = run("--mariadb", "--only", "lives");

    assertThat(report.standings())
        .extracting(standings -> standings.contest().part())
        .containsExactly(Part.LIVES);
    assertThat(report.findings())
        .extracting(Finding::what)
        .contains(
            "lives/s: flowsvr + SDK against raw JDBC, batches",
            "lives/s: flowsvr + SDK against JobRunr");
  }

  @Test
  @Tag("faults") // it starts three servers
  void theServerOfACheckoutIsComparedWithThatOfAnother() throws Exception {
    String itself = Checkout.current().root().toString();
    Report report = run("--mariadb", "--only", "lives", "--against", itself);

    String commit = Checkout.current().commit();
    assertThat(report.findings())
        .extracting(Finding::what)
        .contains("lives/s: now, %1$s against before, %1$s".formatted(commit));
  }

  @Test
  @Tag("contract")
  @Tag("whole")
  void allContestsAreHeldAndTheFindingsComeLast() throws Exception {
    Report report = run();

    assertThat(report.standings().stream().map(standings -> standings.contest().part()).distinct())
        .containsExactly(Part.values());
    assertThat(report.findings())
        .extracting(Finding::what)
        .contains(
            "lives/s: flowsvr + SDK against raw JDBC, batches",
            "lives/s: flowsvr + SDK against seeds' design",
            "lives/s: flowsvr + SDK against db-scheduler",
            "lives/s: flowsvr + SDK against JobRunr",
            "lives/s: events 2 against events 0",
            "runs/s: 1,000 keys against one key",
            "creates/s: flowsvr + SDK against raw JDBC",
            "processed/s: 64 pollers against 16 pollers",
            "children/s: 1 job against 100 jobs",
            "create to start: flowsvr + SDK, p99",
            "hold of 100: 2,000 waiting, an old snapshot open, p99 against an empty table",
            "list: getUserTaskList?userId=user-7&limit=100, p95",
            "console: /console/tasks, 2,000 rows, p95",
            "console: search by id, 2,000 rows, p95",
            "console: overview made anew, 2,000 rows, p50",
            "5 overviews are open: database, more than without",
            "5 searches are open: hold, p99 of the median round against without",
            "a bulk cancels: hold, p99 of the median round against without",
            "5 idle workers: database",
            "5 types on 2 servers: database",
            "5 types on 2 servers: create on one, start on the other, p50",
            "schedules on 3 servers, none due: database, a server, more than without",
            "schedules on 3 servers: saveAll of 200",
            "schedules on 3 servers: page, p95",
            "fires: flowsvr × 3 + SDK, holdable − fire time, p99",
            "fires: flowsvr × 1 + SDK, missed, doubled or early",
            "fires: flowsvr × 3 + SDK, ahead 0 s, holdable − fire time, p99",
            "call: a table of 2,000 rows dropped, p99 against without a drop",
            "soak: growth of the live heap of flowsvr",
            "memory of flowsvr at the start",
            "memory of flowsvr at the end")
        // Whichever peer is the best.
        .anyMatch(
            what -> what.startsWith("fires: flowsvr × 3 + SDK, start − fire time, p99 against "))
        .anyMatch(what -> what.startsWith("HTML gz: the heaviest page, /console"));
    assertThat(report.conditions().lines())
        .containsEntry("durable", "yes")
        .containsKeys("rounds", "commit", "JDK", "machine", "settings", "peers");
  }

  /** A contender that lost a task throws. */
  private Report run(String... more) throws Exception {
    Path file = directory.resolve("bench.md");
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--peers", "--smoke", "--report", file.toString()));
    arguments.addAll(List.of("--server-jvm", "-XX:TieredStopAtLevel=1"));
    arguments.addAll(List.of(more));
    ByteArrayOutputStream console = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(console, true, StandardCharsets.UTF_8);

    BenchOptions options = new BenchOptions(Map.of());
    new CommandLine(options).parseArgs(arguments.toArray(String[]::new));

    Report report = new Bench(options, Checkout.current(), out).run();

    assertThat(Files.readString(file)).contains("## Targets");
    assertThat(console.toString(StandardCharsets.UTF_8))
        .contains("CPU unused", Files.readString(file));
    return report;
  }
}
