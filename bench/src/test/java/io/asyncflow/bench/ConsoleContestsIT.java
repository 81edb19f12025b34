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

/** The contests of the console, on the real MySQL, which the bench is for. */
class ConsoleContestsIT {

  static final Set<Part> PARTS = EnumSet.of(Part.CONSOLE);

  @TempDir Path directory;

  @Test
  @Tag("contract")
  @Tag("whole")
  void theContestsOfTheConsoleAreHeldAndTheFindingsComeLast() throws Exception {
    Report report = new SmokeBench(directory).runOnly(PARTS);

    assertThat(report.findings())
        .extracting(Finding::what)
        .contains(
            "console: /console/tasks, 2,000 rows, p95",
            "console: search by id, 2,000 rows, p95",
            "console: overview made anew, 2,000 rows, p50",
            "5 overviews are open: database, more than without",
            "5 searches are open: hold, p99 of the median round against without",
            "a bulk cancels: hold, p99 of the median round against without")
        .anyMatch(what -> what.startsWith("HTML gz: the heaviest page, /console"));
  }
}
