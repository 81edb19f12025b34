package io.asyncflow.dev.testing;

import io.asyncflow.dev.DevException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.testcontainers.DockerClientFactory;

/**
 * The database of the tests, and the reason for the choice.
 *
 * @param kind the product
 * @param reason the reason for the printed line, as half a sentence
 */
record TestDatabaseChoice(Kind kind, String reason) {
  enum Kind {
    MARIADB,
    MYSQL8,
    CONTAINER
  }

  /**
   * Chooses.
   *
   * @param property the value of {@code asyncflow.test.database}; null or blank where unset
   * @throws DevException if there is no such database
   */
  static TestDatabaseChoice of(String property) {
    if (property == null || property.isBlank()) {
      return dockerAnswers()
          ? new TestDatabaseChoice(Kind.CONTAINER, "Docker answered")
          : new TestDatabaseChoice(Kind.MARIADB, "Docker did not answer");
    }
    String reason = "asked for by " + TestServices.DATABASE_PROPERTY + "=" + property;
    return switch (property) {
      case "mariadb" -> new TestDatabaseChoice(Kind.MARIADB, reason);
      case "mysql8" -> new TestDatabaseChoice(Kind.MYSQL8, reason);
      case "container" -> new TestDatabaseChoice(Kind.CONTAINER, reason);
      default ->
          throw new DevException(
              TestServices.DATABASE_PROPERTY
                  + " is mariadb, mysql8 or container, not "
                  + property
                  + ".");
    };
  }

  private static boolean dockerAnswers() {
    // Without any trace of Docker, skip Testcontainers, which would search for it and log errors.
    return dockerLeavesASign() && DockerClientFactory.instance().isDockerAvailable();
  }

  private static boolean dockerLeavesASign() {
    String home = System.getProperty("user.home");
    String runtime = System.getenv("XDG_RUNTIME_DIR");
    return System.getenv("DOCKER_HOST") != null
        || Stream.of(
                Path.of("/var/run/docker.sock"),
                Path.of(home, ".docker", "run", "docker.sock"),
                Path.of(home, ".testcontainers.properties"),
                runtime == null ? null : Path.of(runtime, "docker.sock"))
            .filter(Objects::nonNull)
            .anyMatch(Files::exists);
  }
}
