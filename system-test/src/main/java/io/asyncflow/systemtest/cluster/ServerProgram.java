package io.asyncflow.systemtest.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
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
      Path program = unpacked.resolve(jar.getFileName());
      return new ServerProgram(program, archiveOf(program));
    } catch (IOException e) {
      throw new UncheckedIOException(jar + " cannot be unpacked", e);
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

  /**
   * The archive of the classes that a start loads, written at the end of a start that finds no
   * database.
   */
  private static Optional<Path> archiveOf(Path program) throws IOException {
    Path archive = program.resolveSibling(System.getProperty("java.vm.version") + ".jsa");
    if (!Files.exists(archive)) {
      Path unfinished = Files.createTempDirectory(program.getParent(), "unfinished-");
      Path written = unfinished.resolve(archive.getFileName());
      run(
          Java.command(
              "-Xmx256m",
              "-XX:ArchiveClassesAtExit=" + written,
              "-jar",
              program.toString(),
              "--server.port=0",
              "--spring.flyway.enabled=false"),
          Map.of(
              "FLOW_MYSQL_URL",
              "jdbc:mysql://127.0.0.1:1/none",
              "FLOW_STORE_DIR",
              unfinished.toString()));
      if (!Files.exists(written)) {
        return Optional.empty();
      }
      Files.move(written, archive, StandardCopyOption.ATOMIC_MOVE);
    }
    return Optional.of(archive);
  }

  private static void unpack(Path jar, Path target) throws IOException {
    Files.createDirectories(target.getParent());
    Path unfinished = Files.createTempDirectory(target.getParent(), "unfinished-");
    List<String> extraction =
        List.of(
            Java.PROGRAM,
            "-Djarmode=tools",
            "-jar",
            jar.toString(),
            "extract",
            "--force",
            "--destination",
            unfinished.toString());
    if (run(extraction, Map.of()) != 0) {
      throw new IOException("java -Djarmode=tools -jar " + jar + " extract failed");
    }
    try {
      Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      // Another test run may have been faster; what it has unpacked is the same.
      if (!Files.isDirectory(target)) {
        throw e;
      }
    }
  }

  /** Runs a program to its end; returns its exit code. */
  private static int run(List<String> command, Map<String, String> variables) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().putAll(variables);
    Process process = builder.start();
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while this ran: " + command, e);
    }
  }
}
