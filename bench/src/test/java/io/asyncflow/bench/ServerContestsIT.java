package io.asyncflow.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.option.Part;
import io.asyncflow.bench.report.Report;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What servers cost, and what they stand: the contests of no other class, on the real MySQL, which
 * the bench is for.
 */
class ServerContestsIT {

  private static final Set<Part> PARTS = EnumSet.complementOf(EnumSet.copyOf(TaskContestsIT.PARTS));

  @TempDir Path directory;

  @Test
  @Tag("contract")
  @Tag("whole")
  void allOtherContestsAreHeldAndTheFindingsComeLast() throws Exception {
    Report report = new SmokeBench(directory).runOnly(PARTS);

    assertThat(report.findings())
        .extracting(Finding::what)
        .contains(
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
            what -> what.startsWith("fires: flowsvr × 3 + SDK, start − fire time, p99 against "));
    assertThat(report.conditions().lines())
        .containsEntry("durable", "yes")
        .containsKeys("rounds", "commit", "JDK", "machine", "settings", "peers");
  }
}
