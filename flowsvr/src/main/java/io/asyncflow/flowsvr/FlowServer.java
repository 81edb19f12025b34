package io.asyncflow.flowsvr;

import io.asyncflow.flowsvr.system.db.SchemaMismatchException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** The server: tasks in MySQL, handed out to workers and taken back over HTTP. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class FlowServer {

  /**
   * {@code EX_DATAERR} of sysexits.h: the tables were made from another baseline of the schema. It
   * makes {@code ./asyncflow dev} move its data aside.
   */
  private static final int OTHER_BASELINE = 65;

  public static void main(String[] args) {
    ThreadDeaths.watch();
    if (Boolean.parseBoolean(System.getenv("FLOW_EXIT_WITH_PARENT"))) {
      exitWithParent(System.in);
    }
    try {
      SpringApplication.run(FlowServer.class, args);
    } catch (RuntimeException e) {
      // Not an ExitCodeGenerator: Spring makes beans of the failed context to tell them the code.
      exitCode(e).ifPresent(System::exit);
      throw e;
    }
  }

  /** What the process ends with after a start that failed, where that is not 1. */
  static OptionalInt exitCode(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
            .anyMatch(
                t ->
                    t instanceof SchemaMismatchException mismatch && mismatch.isOfAnotherBaseline())
        ? OptionalInt.of(OTHER_BASELINE)
        : OptionalInt.empty();
  }

  /**
   * Ends this process in good order once {@code parent} is at its end: a parent that holds the
   * other end of the pipe takes the server along, even when it was killed.
   */
  private static void exitWithParent(InputStream parent) {
    Thread watch =
        new Thread(
            () -> {
              awaitEnd(parent);
              System.exit(0); // runs the shutdown hooks, so requests under way are answered
            },
            "exit-with-parent");
    watch.setDaemon(true);
    watch.start();
  }

  private static void awaitEnd(InputStream parent) {
    try {
      while (parent.read() >= 0) {
        // what a parent says means nothing; only its silence does
      }
    } catch (IOException e) {
      // a broken pipe is an end as well
    }
  }
}
