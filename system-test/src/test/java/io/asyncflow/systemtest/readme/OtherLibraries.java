package io.asyncflow.systemtest.readme;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A local Maven repository with the libraries of others and none of ours. */
final class OtherLibraries {

  private static final String OURS = "asyncflow";

  private OtherLibraries() {}

  /**
   * Links to each directory of the user's repository but to that of Asyncflow, so that what a build
   * takes from there by mistake is missed, and what it fetches stays.
   *
   * @param repository where to make it
   */
  static Path linkedIn(Path repository) throws IOException {
    Path all =
        Path.of(
            System.getProperty(
                "localRepository", System.getProperty("user.home") + "/.m2/repository"));
    linkAll(all, repository, "io");
    linkAll(all.resolve("io"), repository.resolve("io"), OURS);
    return repository;
  }

  private static void linkAll(Path from, Path to, String but) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.filter(file -> !file.endsWith(but)).toList()) {
        Files.createSymbolicLink(to.resolve(file.getFileName()), file);
      }
    }
  }
}
