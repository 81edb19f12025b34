package io.asyncflow.worker.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The settings of an engine, described in {@link EngineHandler.Builder}.
 *
 * @param directory {@code null} for the worker's own
 * @param silence {@code null} for no limit
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
