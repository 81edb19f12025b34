package io.asyncflow.systemtest.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * flowsvr as it was built: its executable jar, unpacked once a build, which starts a quarter faster
 * and is not pulled from under running processes by the next build.
 *
 * @param jar the thin jar that {@code java -jar} runs, its libraries beside it
 */
record ServerProgram(Path jar) {

  private static final String HOME_PROPERTY = "asyncflow.home";

  /**
   * Finds and unpacks it.
   *
   * @throws IllegalStateException if it has not been built
   */
  static synchronized ServerProgram built() {
    Path home = home();
    Path jar = executableJar(home.resolve("flowsvr").resolve("target"));
    try {
      String stamp = Files.size(jar) + "-" + Files.getLastModifiedTime(jar).toMillis();
      Path unpacked =
          home.resolve("system-test").resolve("target").resolve("flowsvr").resolve(stamp);
      if (!Files.isDirectory(unpacked)) {
        unpack(jar, unpacked);
      }
      return new ServerProgram(unpacked.resolve(jar.getFileName()));
    } catch (IOException e) {
      throw new UncheckedIOException(jar + " cannot be unpacked", e);
    }
  }

  /** The checkout. */
  static Path home() {
    return Path.of(System.getProperty(HOME_PROPERTY, "..")).toAbsolutePath().normalize();
  }

  private static Path executableJar(Path target) {
    if (Files.isDirectory(target)) {
      try (Stream<Path> files = Files.list(target)) {
        List<Path> jars =
            files.filter(file -> file.getFileName().toString().endsWith("-exec.jar")).toList();
        if (jars.size() == 1) {
          return jars.get(0);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    throw new IllegalStateException(
        "There is no flowsvr in "
            + target
            + ": build it with ./mvnw -pl flowsvr -am -DskipTests package.");
  }

  private static void unpack(Path jar, Path target) throws IOException {
    Files.createDirectories(target.getParent());
    Path unfinished = Files.createTempDirectory(target.getParent(), "unfinished-");
    Process extraction =
        new ProcessBuilder(
                Java.PROGRAM,
                "-Djarmode=tools",
                "-jar",
                jar.toString(),
                "extract",
                "--force",
                "--destination",
                unfinished.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (extraction.waitFor() != 0) {
        throw new IOException("java -Djarmode=tools -jar " + jar + " extract failed");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while " + jar + " was unpacked", e);
    }
    try {
      Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
      // Another test run was faster; what it has unpacked is the same.
    }
  }
}
