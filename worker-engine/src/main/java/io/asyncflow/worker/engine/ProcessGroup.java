package io.asyncflow.worker.engine;

import io.asyncflow.worker.ChildPrograms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process with its descendants, which do not outlive this JVM.
 *
 * <p>If {@code setsid} exists, the process leads its own process group. Its children can then be
 * killed even after its death, and Ctrl-C in a terminal reaches the worker alone, which lets runs
 * finish. Otherwise its descendants can only be killed while it lives.
 *
 * <p>A shell kills the group when its own standard input ends: this JVM has closed it, or has died
 * in any way. {@code PR_SET_PDEATHSIG} could not do this. It sends its signal at the end of the
 * thread that has started the process, spares the children, and is lost with a change of the user.
 */
final class ProcessGroup {

  private static final Logger log = LoggerFactory.getLogger(ProcessGroup.class);

  /** Its argument is the id of the leader, which may not lead the group yet. */
  private static final String WATCH = "while read -r _; do :; done; kill -s KILL -- \"-$1\" \"$1\"";

  private static final List<Path> PLACES = List.of(Path.of("/usr/bin"), Path.of("/bin"));

  private final Process leader;
  private final Process watcher;
  private boolean over;

  private ProcessGroup(Process leader, Process watcher) {
    this.leader = leader;
    this.watcher = watcher;
  }

  /** Starts the process; does not change the builder's command. */
  static ProcessGroup start(ProcessBuilder builder) throws IOException {
    List<String> command = builder.command();
    Process leader;
    try {
      leader = builder.command(inOwnGroup(command)).start();
    } finally {
      builder.command(command);
    }
    try {
      return new ProcessGroup(leader, watch(leader));
    } catch (IOException e) {
      leader.destroyForcibly();
      throw e;
    }
  }

  private static Process watch(Process leader) throws IOException {
    String pid = Long.toString(leader.pid());
    return ChildPrograms.of(inOwnGroup(List.of("/bin/sh", "-c", WATCH, "asyncflow-watch", pid)))
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static List<String> inOwnGroup(List<String> command) {
    Path setsid = program("setsid");
    return setsid == null
        ? command
        : Stream.concat(Stream.of(setsid.toString()), command.stream()).toList();
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
   * Kills the whole group, once: later its id may belong to another process. Ended processes are
   * ignored.
   */
  synchronized void kill() {
    if (over) {
      return;
    }
    over = true;
    List<ProcessHandle> descendants;
    try (Stream<ProcessHandle> running = leader.descendants()) {
      descendants = running.toList();
    }
    try {
      watcher.getOutputStream().close();
    } catch (IOException e) {
      log.warn("children of process {} may be left: {}", leader.pid(), e.getMessage());
    }
    descendants.forEach(ProcessHandle::destroyForcibly);
    // Through its handle: Process.destroyForcibly also closes the pipes, even of an ended process,
    // and unread output would be lost.
    leader.toHandle().destroyForcibly();
  }
}
