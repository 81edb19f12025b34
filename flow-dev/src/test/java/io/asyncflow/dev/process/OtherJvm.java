package io.asyncflow.dev.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another JVM like this one, with the same class path, for tests that kill it. */
public final class OtherJvm {

  private OtherJvm() {}

  /** What starts it. */
  public static ProcessBuilder of(Class<?> main, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }
}
