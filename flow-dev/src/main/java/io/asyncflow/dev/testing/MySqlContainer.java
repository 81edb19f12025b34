package io.asyncflow.dev.testing;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.mysql.MySQLContainer;

/** MySQL 8.4 in Docker, for test machines that have it; Testcontainers removes it with the JVM. */
final class MySqlContainer {
  private static final String VERSION = "8.4";
  private static final int PORT = 3306;

  private MySqlContainer() {}

  static DatabaseEndpoint start() {
    if (!DockerClientFactory.instance().isDockerAvailable()) {
      throw new DevException(
          "Docker does not answer, so there is no MySQL container: start Docker or leave out "
              + TestServices.DATABASE_PROPERTY
              + ".");
    }
    MySQLContainer container =
        new MySQLContainer("mysql:" + VERSION)
            .withUsername("root")
            .withPassword("test")
            .withCommand(
                "--character-set-server=utf8mb4",
                "--max-connections=500",
                "--skip-log-bin",
                "--innodb-flush-log-at-trx-commit=2");
    container.start();
    return new DatabaseEndpoint(
        "MySQL " + VERSION + " (container)",
        container.getHost(),
        container.getMappedPort(PORT),
        container.getUsername(),
        container.getPassword());
  }
}
