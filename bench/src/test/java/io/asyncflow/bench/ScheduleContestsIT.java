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

/** The contests about schedules, on the real MySQL, which the bench is for. */
class ScheduleContestsIT {

  static final Set<Part> PARTS = EnumSet.of(Part.SCHEDULES);

  @TempDir Path directory;

  @Test
  @Tag("contract")
  @Tag("whole")
  void theContestsAboutSchedulesAreHeldAndTheFindingsComeLast() throws Exception {
    Report report = new SmokeBench(directory).runOnly(PARTS);

    assertThat(report.findings())
        .extracting(Finding::what)
        .contains(
            "schedules on 3 servers, none due: database, a server, more than without",
            "schedules on 3 servers: saveAll of 200",
            "schedules on 3 servers: page, p95",
            "fires: flowsvr × 3 + SDK, holdable − fire time, p99",
            "fires: flowsvr × 1 + SDK, missed, doubled or early",
            "fires: flowsvr × 3 + SDK, ahead 0 s, holdable − fire time, p99")
        // Whichever peer is the best.
        .anyMatch(
            what -> what.startsWith("fires: flowsvr × 3 + SDK, start − fire time, p99 against "));
  }
}
