package io.asyncflow.flowsvr;

import io.asyncflow.flowsvr.base.system.Causes;
import io.asyncflow.flowsvr.base.system.migration.SchemaMismatchException;
import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalInt;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration;

/** The server: keeps tasks in MySQL, lets workers claim them and report on them over HTTP. */
@SpringBootApplication(exclude = UserDetailsServiceAutoConfiguration.class) // it makes up a user
@ConfigurationPropertiesScan
public class FlowServer {

  /**
   * {@code EX_DATAERR} of sysexits.h: the tables were made from another baseline of the schema. On
   * this code {@code ./asyncflow dev} moves its data aside.
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
      // Not an ExitCodeGenerator: Spring would create beans of the failed context for it.
      exitCode(e).ifPresent(System::exit);
      throw e;
    }
  }

  /** The exit code after a failed start, if it is not 1. */
  static OptionalInt exitCode(Throwable failure) {
    return Causes.of(failure)
            .anyMatch(
                t ->
                    t instanceof SchemaMismatchException mismatch && mismatch.isOfAnotherBaseline())
        ? OptionalInt.of(OTHER_BASELINE)
        : OptionalInt.empty();
  }

  /**
   * Shuts this process down when {@code parent} reaches its end. The parent process holds the other
   * end of the pipe, so the server ends with it even if it was killed.
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
        // input of the parent is ignored; only its end counts
      }
    } catch (IOException e) {
      // a broken pipe is an end, too
    }
  }
}
