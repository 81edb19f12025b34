package io.asyncflow.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.bench.contest.Finding;
import io.asyncflow.bench.option.Checkout;
import io.asyncflow.bench.option.Part;
import io.asyncflow.bench.report.Report;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One contest, where no other test of a build is as long. */
class BenchIT {

  @TempDir Path directory;

  @Test
  @Tag("faults") // it starts a server
  void aContestIsHeldAgainstThePeers() throws Exception {
    Report report = new SmokeBench(directory).run("--mariadb", "--only", "lives");

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
    Report report =
        new SmokeBench(directory).run("--mariadb", "--only", "lives", "--against", itself);

    String commit = Checkout.current().commit();
    assertThat(report.findings())
        .extracting(Finding::what)
        .contains("lives/s: now, %1$s against before, %1$s".formatted(commit));
  }
}
