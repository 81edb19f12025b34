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
 * The contests about tasks, on the real MySQL, which the bench is for. The contests are in four
 * classes, because a build holds three of them at the same time, and each waits for the most part.
 */
class TaskContestsIT {

  static final Set<Part> PARTS =
      EnumSet.of(
          Part.LIVES,
          Part.EVENTS,
          Part.ACCESS,
          Part.CREATES,
          Part.BULK,
          Part.PROCESS,
          Part.POLLERS,
          Part.JOBS,
          Part.LATENCY,
          Part.STEADY,
          Part.BACKLOG,
          Part.LISTS);

  @TempDir Path directory;

  @Test
  @Tag("contract")
  @Tag("whole")
  void theContestsAboutTasksAreHeldAndTheFindingsComeLast() throws Exception {
    Report report = new SmokeBench(directory).runOnly(PARTS);

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
            "list: getUserTaskList?userId=user-7&limit=100, p95");
  }
}
