package io.asyncflow.dev.stack;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.embedded.EmbeddedMariaDb;
import io.asyncflow.dev.environment.Installation;
import io.asyncflow.dev.host.FileTree;
import io.asyncflow.dev.host.LoopbackPort;
import io.asyncflow.dev.process.ChildProcess;
import io.asyncflow.dev.process.ParentDeath;
import io.asyncflow.dev.process.ProcessLog;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * flowsvr as it was built: its executable jar, unpacked once a build, and an archive of class data
 * sharing of what its start loads. Together they halve a start.
 *
 * @param options that its JVM has in production; none in a checkout from before there were any
 * @param jar the thin jar that {@code java -jar} runs, its libraries beside it
 * @param classes the archive, for the Java that runs this JVM alone; may be missing, if that Java
 *     cannot make one
 */
public record ServerProgram(List<String> options, Path jar, Path classes) {

  private static final String MODULE = "flowsvr";

  /** Of its first start and of its end, in which it writes the archive; a busy machine is slow. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /**
   * Prepares the program for {@code ./asyncflow server}, and writes the arguments of its JVM.
   *
   * @param arguments the file to write
   */
  public static void main(String[] arguments) throws IOException {
    ServerProgram program = of(Installation.current());
    List<String> lines = new ArrayList<>(List.of("# " + System.getProperty("java.home")));
    program.inProduction(List.of()).stream().map(ServerProgram::quoted).forEach(lines::add);
    Path file = Path.of(arguments[0]);
    Path unfinished = Files.createTempFile(file.getParent(), "arguments-", "");
    Files.write(unfinished, lines);
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** As the files that {@code java @file} reads want it. */
  private static String quoted(String argument) {
    return '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /**
   * Unpacks it, starts it once, and writes the archive, unless this has been done. Takes 20 s.
   *
   * @throws DevException if it has not been built
   */
  public static synchronized ServerProgram of(Installation installation) {
    Path module = installation.home().resolve(MODULE);
    Path jar =
        UnpackedJar.of(
            installation.executableJar(MODULE),
            module.resolve("target").resolve("unpacked"),
            installation);
    String java =
        System.getProperty("java.vm.vendor") + "-" + System.getProperty("java.vm.version");
    Path classes = jar.resolveSibling(java.replaceAll("[^\\w.+-]", "_") + ".jsa");
    try {
      if (!Files.exists(classes)) {
        archive(jar, classes, installation);
      }
    } catch (IOException e) {
      throw new DevException(jar.getParent() + " cannot be written: " + e.getMessage() + ".", e);
    }
    return new ServerProgram(optionsIn(module.resolve("jvm.options")), jar, classes);
  }

  /** The arguments of a JVM that runs it, and is tuned by its caller. */
  public List<String> arguments() {
    return Stream.concat(
            Files.exists(classes)
                ? Stream.of("-XX:SharedArchiveFile=" + classes)
                : Stream.<String>empty(),
            Stream.of("-jar", jar.toString()))
        .toList();
  }

  /**
   * The arguments of a JVM that runs it as production does.
   *
   * @param more options of the JVM, which win
   */
  public List<String> inProduction(List<String> more) {
    return Stream.of(options, more, arguments()).flatMap(List::stream).toList();
  }

  /**
   * The variables of a server without Redis, to which those that this JVM has mean nothing.
   *
   * @param url where it listens, on loopback
   * @return to be changed by its caller
   */
  public static Map<String, String> environment(URI url, DatabaseEndpoint database, String schema) {
    Map<String, String> environment = new HashMap<>();
    System.getenv().keySet().stream()
        .filter(variable -> variable.startsWith("FLOW_"))
        .forEach(variable -> environment.put(variable, ""));
    environment.put("FLOW_ADDRESS", url.getHost());
    environment.put("FLOW_PORT", Integer.toString(url.getPort()));
    environment.put("FLOW_MYSQL_URL", database.jdbcUrl(schema));
    environment.put("FLOW_MYSQL_USER", database.user());
    environment.put("FLOW_MYSQL_PASSWORD", database.password());
    return environment;
  }

  private static List<String> optionsIn(Path file) {
    if (!Files.exists(file)) {
      return List.of();
    }
    try (Stream<String> lines = Files.lines(file)) {
      return lines.filter(line -> line.startsWith("-")).toList();
    } catch (IOException e) {
      throw new DevException(file + " cannot be read: " + e.getMessage() + ".", e);
    }
  }

  /** The JVM writes the archive at the end of a start on a database of its own. */
  private static void archive(Path jar, Path classes, Installation installation)
      throws IOException {
    Path directory = Files.createTempDirectory(jar.getParent(), "unfinished-");
    Path written = directory.resolve(classes.getFileName());
    List<String> command =
        List.of(
            installation.java().toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx256m",
            "-XX:ArchiveClassesAtExit=" + written,
            "-jar",
            jar.toString());
    URI url = URI.create("http://" + LoopbackPort.HOST + ":" + LoopbackPort.free());
    try (EmbeddedMariaDb server = EmbeddedMariaDb.startDisposable(directory.resolve("database"))) {
      Map<String, String> environment = environment(url, server.endpoint(), MODULE);
      environment.put("FLOW_STORE_DIR", directory.toString());
      ProcessLog log = new ProcessLog(MODULE, directory.resolve("start.log"));
      ChildProcess process =
          ChildProcess.launch(command, environment, directory, log, ParentDeath.STOPS_CHILD);
      process.awaitReady(new ServerProbe(url)::isReady, PATIENCE);
      process.stop(PATIENCE);
    } catch (DevException e) { // a machine for which there is no embedded database may have another
      System.err.println("flowsvr will start slowly, without an archive: " + e.getMessage());
    }
    if (Files.exists(written)) {
      Files.move(written, classes, StandardCopyOption.ATOMIC_MOVE);
    }
    FileTree.delete(directory);
  }
}
