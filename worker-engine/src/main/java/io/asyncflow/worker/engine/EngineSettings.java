package io.asyncflow.worker.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The settings of an engine, described in {@link EngineHandler.Builder}.
 *
 * @param isolation {@code null} for none
 * @param directory {@code null} for the worker's own
 * @param silence {@code null} for no limit
 */
record EngineSettings(
    String name,
    List<String> command,
    Isolation isolation,
    Path directory,
    Map<String, String> environment,
    Duration startTimeout,
    Duration cancelGrace,
    Duration silence,
    int longestLine) {

  /**
   * The command with which a process is started now.
   *
   * @throws IllegalStateException if this system cannot isolate the engine as asked for
   */
  List<String> startCommand() {
    return isolation == null
        ? command
        : isolation.around(command, directory, ProcessGroup::program);
  }
}
