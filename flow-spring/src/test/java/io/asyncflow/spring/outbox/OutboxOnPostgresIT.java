package io.asyncflow.spring.outbox;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** On a PostgreSQL of its own. */
@Tag("faults")
class OutboxOnPostgresIT extends OutboxContract {

  private static EmbeddedPostgres postgres;

  /** It does not run as root, and another user is made without a password in a namespace alone. */
  @BeforeAll
  static void start() throws Exception {
    assumeTrue(
        !isRoot() || hasNamespaces(),
        "PostgreSQL does not run as root where there are no user namespaces");
    postgres = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(2)).start();
  }

  private static boolean isRoot() throws IOException {
    return Files.getOwner(Path.of("/proc/self")).getName().equals("root");
  }

  private static boolean hasNamespaces() throws IOException, InterruptedException {
    return new ProcessBuilder("unshare", "-U", "true").start().waitFor() == 0;
  }

  @AfterAll
  static void stop() throws IOException {
    if (postgres != null) {
      postgres.close();
    }
  }

  @Override
  DataSource dataSource() {
    return postgres.getPostgresDatabase();
  }
}
