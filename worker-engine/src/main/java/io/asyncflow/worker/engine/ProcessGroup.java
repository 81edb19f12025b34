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
 * A process with all that it starts.
 *
 * <p>Where there is {@code setsid}, it leads a group of its own. Its children are then found even
 * when it is dead, and Ctrl-C in a terminal ends the worker alone, which lets runs finish.
 * Elsewhere its descendants are killed as long as it lives.
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

  /** Starts it; the builder's command is left as it is. */
  static ProcessGroup start(ProcessBuilder builder) throws IOException {
    List<String> command = builder.command();
    Path setsid =
        PLACES.stream()
            .map(place -> place.resolve("setsid"))
            .filter(Files::isExecutable)
            .findFirst()
            .orElse(null);
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

  Process leader() {
    return leader;
  }

  /**
   * Kills all of them at once; nothing happens to those that have ended. Once the leader is dead
   * they are looked for one last time: after that its id may be another's.
   */
  synchronized void kill() {
    if (over) {
      return;
    }
    over = !leader.isAlive();
    List<ProcessHandle> descendants;
    try (Stream<ProcessHandle> found = leader.descendants()) {
      descendants = found.toList();
    }
    killGroup();
    descendants.forEach(ProcessHandle::destroyForcibly);
    // By its handle: Process.destroyForcibly closes the pipes too, of one that has ended as well,
    // and what it said last would be lost if nobody had read it yet.
    leader.toHandle().destroyForcibly();
  }

  private void killGroup() {
    // Before setsid has done its work there is no such group, and the leader has no children.
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
