package io.asyncflow.systemtest.fault.database;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asyncflow.systemtest.fault.database.Failover.Step;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers on three nodes of MariaDB with Galera, which suspects a silent one after 5 s. */
@Tag("faults")
@Tag("group")
@Timeout(300)
class GaleraFailoverIT {

  private static final Duration TARGET = Duration.ofSeconds(8);
  private static final Duration STOP = Duration.ofSeconds(15);
  private static final Duration ISOLATION = Duration.ofSeconds(12);

  @TempDir private static Path directory;

  private static GaleraGroup group;
  private static Failover servers;

  @BeforeAll
  static void start() {
    assumeTrue(GaleraGroup.isInstalled(), "mariadb-server and galera-4 are not installed");
    group = GaleraGroup.of(directory, 3);
    servers = Failover.on(group, "galera");
  }

  @AfterAll
  static void stop() {
    if (servers != null) {
      servers.close();
    }
    if (group != null) {
      group.close();
    }
  }

  @Test
  void killedWriterLosesNothingAcknowledged() {
    servers.survive(
        "galera_kill",
        () -> {
          GaleraNode writer = group.writer();
          return List.of(
              Step.of("the writer killed", writer::kill, TARGET),
              Step.of("and back", writer::bringBack, TARGET));
        });
  }

  @Test
  void stoppedWriterLosesNothingAcknowledged() {
    servers.survive(
        "galera_stop",
        () -> {
          GaleraNode writer = group.writer();
          return List.of(
              new Step("the writer stopped", writer::pause, STOP, TARGET),
              Step.of("and going on", writer::resume, TARGET));
        });
  }

  @Test
  void stoppedReaderLosesNothingAcknowledged() {
    servers.survive(
        "galera_stop_reader",
        () -> {
          GaleraNode reader = group.reader();
          return List.of(
              new Step("another node stopped", reader::pause, STOP, TARGET),
              Step.of("and going on", reader::resume, TARGET));
        });
  }

  @Test
  void isolatedWriterLosesNothingAcknowledged() {
    servers.survive(
        "galera_isolate",
        () -> {
          GaleraNode writer = group.writer();
          return List.of(
              new Step("the writer cut off from the others", writer::isolate, ISOLATION, TARGET),
              Step.of("and joined again", writer::rejoin, TARGET));
        });
  }
}
