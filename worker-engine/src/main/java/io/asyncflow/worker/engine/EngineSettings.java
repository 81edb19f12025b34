package io.asyncflow.worker.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How an engine is run; {@link EngineHandler.Builder} says what each means.
 *
 * @param directory {@code null} for the worker's own
 * @param silence {@code null} for as long as it takes
 */
record EngineSettings(
    String name,
    List<String> command,
    Path directory,
    Map<String, String> environment,
    Duration startTimeout,
    Duration cancelGrace,
    Duration silence,
    int longestLine) {}
