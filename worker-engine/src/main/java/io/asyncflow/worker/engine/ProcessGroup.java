package io.asyncflow.worker.engine;

import io.asyncflow.worker.ChildPrograms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process with its descendants.
 *
 * <p>If {@code setsid} exists, the process leads its own process group. Its children can then be
 * killed even after its death, and Ctrl-C in a terminal reaches the worker alone, which lets runs
 * finish. Otherwise its descendants can only be killed while it lives.
 */
final class ProcessGroup {

  private static final Logger log = LoggerFactory.getLogger(ProcessGroup.class);

  private static final List<Path> PLACES = List.of(Path.of("/usr/bin"), Path.of("/bin"));

  private final Process leader;
  private final boolean ownGroup;
  private boolean over;

  private ProcessGroup(Process leader, boolean ownGroup) {
    this.leader = leader;
    this.ownGroup = ownGroup;
  }

  /** Starts the process; does not change the builder's command. */
  static ProcessGroup start(ProcessBuilder builder) throws IOException {
    List<String> command = builder.command();
    Path setsid = program("setsid");
    if (setsid == null) {
      return new ProcessGroup(builder.start(), false);
    }
    List<String> inGroup = new ArrayList<>(List.of(setsid.toString()));
    inGroup.addAll(command);
    try {
      return new ProcessGroup(builder.command(inGroup).start(), true);
    } finally {
      builder.command(command);
    }
  }

  /** A program of the system; {@code null} if there is none of this name. */
  static Path program(String name) {
    return PLACES.stream()
        .map(place -> place.resolve(name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(null);
  }

  Process leader() {
    return leader;
  }

  /**
   * Kills the whole group; ended processes are ignored. After the leader's death the group is
   * killed one last time: later its id may belong to another process.
   */
  synchronized void kill() {
    if (over) {
      return;
    }
    over = !leader.isAlive();
    List<ProcessHandle> descendants;
    try (Stream<ProcessHandle> running = leader.descendants()) {
      descendants = running.toList();
    }
    killGroup();
    descendants.forEach(ProcessHandle::destroyForcibly);
    // Through its handle: Process.destroyForcibly also closes the pipes, even of an ended process,
    // and unread output would be lost.
    leader.toHandle().destroyForcibly();
  }

  private void killGroup() {
    // Before setsid has run, there is no group, and the leader has no children.
    if (!ownGroup) {
      return;
    }
    try {
      ChildPrograms.of("/bin/sh", "-c", "kill -s KILL -- -" + leader.pid())
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start();
    } catch (IOException e) {
      log.warn("children of process {} may be left: {}", leader.pid(), e.getMessage());
    }
  }
}
