package io.asyncflow.systemtest.cluster;

import io.asyncflow.dev.environment.Installation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The Java that runs this JVM, for more of them: started fast, and small. */
final class Java {

  private static final List<String> START_FAST =
      List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto");

  private static final String HOME_PROPERTY = "asyncflow.home";

  private Java() {}

  /** The checkout, whose modules are built. */
  static Path home() {
    return Path.of(System.getProperty(HOME_PROPERTY, "..")).toAbsolutePath().normalize();
  }

  static List<String> command(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Installation.current().java().toString());
    command.addAll(START_FAST);
    command.addAll(List.of(arguments));
    return command;
  }
}
