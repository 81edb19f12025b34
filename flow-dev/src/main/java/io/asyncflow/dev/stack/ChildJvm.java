package io.asyncflow.dev.stack;

import io.asyncflow.dev.environment.Installation;
import io.asyncflow.dev.host.OwnerOnly;
import io.asyncflow.dev.process.ChildProcess;
import io.asyncflow.dev.process.ParentDeath;
import io.asyncflow.dev.process.ProcessLog;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * One of Asyncflow's own programs, as a child process: tuned to start fast and to need little, for
 * a developer's machine, not for production.
 *
 * @param module the module and the name for messages
 * @param directory its exclusive working directory, by which an orphan is recognized
 * @param log the file of its output
 */
record ChildJvm(String module, Path directory, Path log) {

  /** Unpacks the program if needed; slow after a build. */
  Path prepare(Installation installation) {
    Path jar = UnpackedJar.of(installation.executableJar(module), directory, installation);
    UnpackedJar.forgetOthers(jar.getParent());
    return jar;
  }

  /**
   * Starts the program.
   *
   * @param jar what {@link #prepare} returned
   * @param environment variables to add to this JVM's own
   */
  ChildProcess launch(Path jar, Map<String, String> environment, Installation installation) {
    OwnerOnly.directory(log.getParent());
    OwnerOnly.directory(directory);
    List<String> command =
        List.of(
            installation.java().toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xshare:auto",
            "-Xmx512m",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:ErrorFile=" + directory.resolve("crash.log"),
            "-jar",
            jar.toString());
    return ChildProcess.launch(
        command, environment, directory, new ProcessLog(module, log), ParentDeath.STOPS_CHILD);
  }
}
