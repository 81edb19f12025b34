package io.asyncflow.systemtest.cluster;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.environment.Installation;
import io.asyncflow.dev.process.ProgramRun;
import io.asyncflow.dev.stack.UnpackedJar;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * flowsvr as it was built: its executable jar, unpacked once a build, which starts a quarter faster
 * and is not pulled from under running processes by the next build. Its classes are in an archive
 * of class data sharing, which takes another third off a start.
 *
 * @param jar the thin jar that {@code java -jar} runs, its libraries beside it
 * @param classes the archive; empty if this JVM cannot make one
 */
record ServerProgram(Path jar, Optional<Path> classes) {

  private static final String HOME_PROPERTY = "asyncflow.home";

  /**
   * Finds and unpacks it.
   *
   * @throws DevException if it has not been built
   */
  static synchronized ServerProgram built() {
    Path home = home();
    Installation installation = new Installation(home);
    Path builds = home.resolve("system-test").resolve("target").resolve("flowsvr");
    try {
      Path program = UnpackedJar.of(installation.executableJar("flowsvr"), builds, installation);
      return new ServerProgram(program, archiveOf(program));
    } catch (IOException e) {
      throw new UncheckedIOException(builds + " cannot be written", e);
    }
  }

  /** The arguments of a JVM that runs it. */
  List<String> arguments() {
    return Stream.concat(
            classes.map(archive -> "-XX:SharedArchiveFile=" + archive).stream(),
            Stream.of("-jar", jar.toString()))
        .toList();
  }

  /** The checkout. */
  static Path home() {
    return Path.of(System.getProperty(HOME_PROPERTY, "..")).toAbsolutePath().normalize();
  }

  /**
   * The archive of the classes that a start loads, written at the end of a start that finds no
   * database.
   */
  private static Optional<Path> archiveOf(Path program) throws IOException {
    Path archive = program.resolveSibling(System.getProperty("java.vm.version") + ".jsa");
    if (!Files.exists(archive)) {
      Path unfinished = Files.createTempDirectory(program.getParent(), "unfinished-");
      Path written = unfinished.resolve(archive.getFileName());
      writeArchive(
          Java.command(
              "-Xmx256m",
              "-XX:ArchiveClassesAtExit=" + written,
              "-jar",
              program.toString(),
              "--server.port=0",
              "--spring.flyway.enabled=false"),
          unfinished);
      if (!Files.exists(written)) {
        return Optional.empty();
      }
      Files.move(written, archive, StandardCopyOption.ATOMIC_MOVE);
    }
    return Optional.of(archive);
  }

  private static void writeArchive(List<String> command, Path directory) {
    Map<String, String> environment =
        Map.of(
            "FLOW_MYSQL_URL",
            "jdbc:mysql://127.0.0.1:1/none",
            "FLOW_STORE_DIR",
            directory.toString());
    try {
      ProgramRun.run("flowsvr", command, environment, directory.resolve("start.log"), input -> {});
    } catch (DevException itFoundNoDatabase) {
      // It writes the archive all the same.
    }
  }
}
