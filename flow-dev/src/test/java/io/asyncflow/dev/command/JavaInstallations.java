package io.asyncflow.dev.command;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The programs {@code java} that the launcher is tried on. */
final class JavaInstallations {
  private static final Path HOME = Path.of(System.getProperty("java.home"));

  private JavaInstallations() {}

  /** The one that runs this JVM. */
  static Path current() {
    return program(HOME);
  }

  /** The one of a JDK 25, where one is installed beside the current Java. */
  static Stream<Path> java25() {
    try (Stream<Path> siblings = Files.list(HOME.getParent())) {
      return siblings
          .filter(JavaInstallations::isJava25)
          .map(JavaInstallations::program)
          .limit(1)
          .toList()
          .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isJava25(Path home) {
    try {
      return Files.isExecutable(program(home))
          && Files.readString(home.resolve("release")).contains("JAVA_VERSION=\"25");
    } catch (IOException e) {
      return false; // a directory of something else
    }
  }

  private static Path program(Path home) {
    return home.resolve("bin").resolve("java");
  }
}
