package io.asyncflow.flowsvr;

import java.io.IOException;
import java.io.InputStream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** The server: tasks in MySQL, handed out to workers and taken back over HTTP. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class FlowServer {

  public static void main(String[] args) {
    ThreadDeaths.watch();
    if (Boolean.parseBoolean(System.getenv("FLOW_EXIT_WITH_PARENT"))) {
      exitWithParent(System.in);
    }
    SpringApplication.run(FlowServer.class, args);
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
