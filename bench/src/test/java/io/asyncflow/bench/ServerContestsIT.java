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

  private static final Set<Part> PARTS = EnumSet.allOf(Part.class);

  static {
    PARTS.removeAll(TaskContestsIT.PARTS);
    PARTS.removeAll(ConsoleContestsIT.PARTS);
    PARTS.removeAll(ScheduleContestsIT.PARTS);
  }

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
            "20 workers on 3 servers: database",
            "20 workers on 3 servers: live heap of a server for each of its workers",
            "5 types on 2 servers: create on one, start on the other, p50",
            "call: a table of 2,000 rows dropped, p99 against without a drop",
            "start: process to ready",
            "soak: growth of the live heap of flowsvr",
            "memory of flowsvr at the start",
            "memory of flowsvr at the end");
    assertThat(report.conditions().lines())
        .containsEntry("durable", "yes")
        .containsKeys("rounds", "commit", "JDK", "machine", "settings", "peers");
  }
}
