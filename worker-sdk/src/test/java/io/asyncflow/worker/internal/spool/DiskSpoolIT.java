package io.asyncflow.worker.internal.spool;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two processes share a spool. */
class DiskSpoolIT {

  private static final Report REPORT =
      Report.of("1_lark_task_1", "w1", 1, Outcome.SUCCESS).withReportId("r1").withResult("x");

  @TempDir Path root;

  /** Keeps a report and lives on until it is killed. */
  static final class Owner {
    public static void main(String[] args) throws Exception {
      new DiskSpool(Path.of(args[0])).keep(REPORT);
      System.out.println("kept");
      System.in.read();
    }
  }

  @Test
  void theSystemTakesTheLockOfAKilledProcessBack() throws Exception {
    Process owner =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Owner.class.getName(),
                root.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    DiskSpool heir = new DiskSpool(root);
    try {
      assertThat(owner.inputReader().readLine()).isEqualTo("kept");
      assertThat(heir.adopt()).as("while it lives").isEmpty();
    } finally {
      owner.destroyForcibly();
    }
    assertThat(owner.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(heir.adopt()).containsExactly(REPORT);
    heir.close();
  }
}
