package io.asyncflow.dev.environment;

import io.asyncflow.dev.DevException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The repository in which {@code ./asyncflow} was called, with its build output.
 *
 * @param home the repository's root, absolute
 */
public record Installation(Path home) {
  static final String HOME_PROPERTY = "asyncflow.home";

  /** The repository that the launch script sets; otherwise the current directory. */
  public static Installation current() {
    return new Installation(
        Path.of(System.getProperty(HOME_PROPERTY, "")).toAbsolutePath().normalize());
  }

  /** The Java program that runs this very JVM. */
  public Path java() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }

  /**
   * The executable jar of a module.
   *
   * @throws DevException if it has not been built
   */
  public Path executableJar(String module) {
    Path target = home.resolve(module).resolve("target");
    if (Files.isDirectory(target)) {
      try (Stream<Path> files = Files.list(target)) {
        List<Path> jars =
            files.filter(file -> file.getFileName().toString().endsWith("-exec.jar")).toList();
        if (jars.size() == 1) {
          return jars.get(0);
        }
      } catch (IOException e) {
        throw new DevException("The directory " + target + " cannot be read.", e);
      }
    }
    throw new DevException(
        "There is no " + module + " in " + target + ": build it with ./mvnw -DskipTests package.");
  }

  /** The default data directory of a command. */
  public Path dataDirectory(String command) {
    return home.resolve(".asyncflow").resolve(command);
  }
}
