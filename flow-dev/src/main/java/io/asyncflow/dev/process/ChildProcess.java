package io.asyncflow.dev.process;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.host.DirectoryLock;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A child process, as a database or a JVM, and the shell that watches it.
 *
 * <p>The child has its own session, so that Ctrl-C in a terminal reaches only the JVM, which then
 * stops its children in order. After a kill -9 of the JVM, the watching shell reads the end of its
 * standard input and executes the {@link ParentDeath} action. If both are killed, the next start
 * finds the orphan by its pid file and stops it.
 *
 * <p>The JVM may die at any moment of a launch. So the watcher is started first, and the child's
 * own process writes the pid file before it becomes the child. Each launch has its own file: the
 * watcher of a JVM that died in between waits for that file for a while, and must not find the
 * child of the next JVM in the same directory.
 *
 * <p>All waiting is on the caller's thread. {@link Process#onExit} completes on the common pool,
 * which has one thread on a machine with two cores: if that thread waits for this caller, it would
 * never complete.
 */
public final class ChildProcess {
  private static final Duration POLL = Duration.ofMillis(20);
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);
  private static final Duration FOR_EVER = Duration.ofDays(365);
  private static final String PID_FILES = "server*.pid";
  private static final Path SETSID = Path.of("/usr/bin/setsid");
  private static final Path BASH = Path.of("/bin/bash");

  private static final String WRITE_PID_AND_BECOME =
      "printf '%s\\n%s' \"$$\" \"$2\" > \"$1\" && shift && exec \"$@\"";

  private final Process process;
  private final Process watcher;
  private final Path pidFile;
  private final ProcessLog log;

  private ChildProcess(Process process, Process watcher, Path pidFile, ProcessLog log) {
    this.process = process;
    this.watcher = watcher;
    this.pidFile = pidFile;
    this.log = log;
  }

  /**
   * Starts the child; it is not ready yet.
   *
   * @param program the program's name for messages
   * @param command the program (absolute path) and its arguments, one of which names the directory
   * @param environment variables to add; an empty value removes one
   * @param directory where its log and pid file are kept; locked by the caller
   */
  public static ChildProcess launch(
      String program,
      List<String> command,
      Map<String, String> environment,
      Path directory,
      ParentDeath parentDeath) {
    ProcessLog log = new ProcessLog(program, directory.resolve("server.log"));
    return launch(command, environment, directory, log, parentDeath);
  }

  /**
   * Starts a program that logs elsewhere.
   *
   * <p>Its standard input is a pipe that stays open, and silent, for as long as this JVM lives.
   */
  public static ChildProcess launch(
      List<String> command,
      Map<String, String> environment,
      Path directory,
      ProcessLog log,
      ParentDeath parentDeath) {
    Path pidFile = newPidFile(directory);
    List<String> program = shellThatKeepsTheEnvironment();
    program.addAll(List.of("-c", WRITE_PID_AND_BECOME, "asyncflow-launch", pidFile.toString()));
    program.addAll(command);
    ProcessBuilder builder =
        new ProcessBuilder(inOwnSession(program))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.file().toFile()));
    environment.forEach(
        (variable, value) -> {
          if (value.isEmpty()) {
            builder.environment().remove(variable);
          } else {
            builder.environment().put(variable, value);
          }
        });
    Process watcher = null;
    try {
      log.begin();
      watcher = watch(pidFile, parentDeath);
      return new ChildProcess(builder.start(), watcher, pidFile, log);
    } catch (IOException e) {
      if (watcher != null) {
        watcher.destroyForcibly(); // there is nothing to watch over
      }
      throw new DevException(log.program() + " cannot be started: " + e.getMessage() + ".", e);
    }
  }

  /**
   * Many a {@code /bin/sh} drops variables whose names are not valid identifiers, such as {@code
   * logging.level.root=DEBUG}; bash passes them on. With {@code -p} bash does not read the file of
   * BASH_ENV.
   */
  private static List<String> shellThatKeepsTheEnvironment() {
    return new ArrayList<>(
        Files.isExecutable(BASH) ? List.of(BASH.toString(), "-p") : List.of("/bin/sh"));
  }

  static Path newPidFile(Path directory) {
    return directory.resolve("server-" + UUID.randomUUID() + ".pid");
  }

  static Process watch(Path pidFile, ParentDeath parentDeath) throws IOException {
    List<String> command =
        List.of(
            "/bin/sh",
            "-c",
            parentDeath.script(),
            "asyncflow-watch",
            pidFile.toString(),
            pidFile.getParent().toString());
    return new ProcessBuilder(inOwnSession(command))
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static List<String> inOwnSession(List<String> command) {
    List<String> commandLine = new ArrayList<>();
    if (Files.isExecutable(SETSID)) {
      commandLine.add(SETSID.toString());
    }
    commandLine.addAll(command);
    return commandLine;
  }

  /**
   * Waits until the child is ready.
   *
   * @throws EarlyEndException if it ends
   * @throws DevException if it is not ready in time, in which case it is killed; also if the thread
   *     is interrupted, in which case it continues
   */
  public void awaitReady(BooleanSupplier ready, Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!ready.getAsBoolean()) {
      if (awaitEnd(POLL)) {
        throw new EarlyEndException(log.explain(process.exitValue()), process.exitValue());
      }
      if (System.nanoTime() > deadline) {
        kill();
        throw new DevException(
            log.program()
                + " was not ready within "
                + patience.toSeconds()
                + " s; its log is "
                + log.file()
                + ".");
      }
    }
  }

  public long pid() {
    return process.pid();
  }

  public boolean isRunning() {
    return process.isAlive();
  }

  /** Waits for the end of the process and returns its exit code. */
  int awaitEnd() throws InterruptedException {
    return process.waitFor();
  }

  /** Whether it ended because its port was taken. */
  public boolean foundItsPortTaken() {
    return !isRunning() && log.contains("Address already in use");
  }

  /**
   * How it ended.
   *
   * @throws IllegalThreadStateException if it has not
   */
  public int exitCode() {
    return process.exitValue();
  }

  /** SIGTERM; returns at once. */
  public void terminate() {
    // The handle's destroy() only sends the signal; Process.destroy() would also close the input,
    // which tells the program that this JVM is dead.
    process.toHandle().destroy();
  }

  /** SIGTERM, and SIGKILL after 30 seconds; returns when the process has ended. */
  public void stop() {
    stop(STOP_PATIENCE);
  }

  /** SIGTERM, and SIGKILL after a while; returns when the process has ended. */
  public void stop(Duration patience) {
    terminate();
    if (!awaitGone(process, patience)) {
      process.destroyForcibly();
    }
    cleanUp();
  }

  /** SIGKILL; returns when the process has ended. */
  public void kill() {
    process.destroyForcibly();
    cleanUp();
  }

  private void cleanUp() {
    awaitGone(process, FOR_EVER);
    // Killed, because the end of its input would make it kill the process id, which may be reused
    // by now.
    awaitGone(watcher.destroyForcibly(), FOR_EVER);
    try {
      Files.deleteIfExists(pidFile);
    } catch (IOException e) {
      throw new DevException(pidFile + " cannot be deleted.", e);
    }
  }

  /** Waits for its end; {@code false} if it does not come in time. */
  public boolean awaitEnd(Duration patience) {
    try {
      boolean ended = process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
      if (ended) {
        cleanUp();
      }
      return ended;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DevException("Waiting for " + log.program() + " was interrupted.", e);
    }
  }

  /**
   * Waits despite interrupts and restores the flag: a process left running would keep its
   * directory.
   */
  private static boolean awaitGone(Process process, Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Stops a child in this directory that has outlived its JVM. The caller must own the directory's
   * {@link DirectoryLock}, which proves that the JVM is dead.
   */
  public static void stopOrphan(Path directory) {
    if (!Files.isDirectory(directory)) {
      return;
    }
    try (DirectoryStream<Path> pidFiles = Files.newDirectoryStream(directory, PID_FILES)) {
      pidFiles.forEach(pidFile -> stopOrphan(pidFile, directory));
    } catch (IOException | DirectoryIteratorException e) {
      throw new DevException(directory + " cannot be read.", e);
    }
  }

  private static void stopOrphan(Path pidFile, Path directory) {
    try {
      List<String> lines = Files.readAllLines(pidFile);
      if (lines.size() == 2 && lines.get(0).matches("\\d{1,18}")) {
        ProcessHandle.of(Long.parseLong(lines.get(0)))
            .filter(process -> isServer(process, lines.get(1), directory))
            .ifPresent(ChildProcess::stop);
      }
      Files.deleteIfExists(pidFile);
    } catch (IOException e) {
      throw new DevException(pidFile + " cannot be read.", e);
    }
  }

  // The system may have reused the process id.
  private static boolean isServer(ProcessHandle process, String program, Path directory) {
    ProcessHandle.Info info = process.info();
    boolean sameProgram =
        info.command()
            .map(command -> Path.of(command).endsWith(Path.of(program).getFileName()))
            .orElse(false);
    return sameProgram
        && List.of(info.arguments().orElse(new String[0])).stream()
            .anyMatch(argument -> argument.contains(directory.toString()));
  }

  private static void stop(ProcessHandle orphan) {
    orphan.destroy();
    if (!isGoneWithin(STOP_PATIENCE, orphan)) {
      orphan.destroyForcibly();
      isGoneWithin(STOP_PATIENCE, orphan);
    }
  }

  // Not onExit(): an orphan is the child of process 1, which in many containers never reaps
  // zombies. A zombie runs no program.
  public static boolean isGoneWithin(Duration patience, ProcessHandle orphan) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (runsAProgram(orphan)) {
      if (System.nanoTime() > deadline) {
        return false;
      }
      try {
        Thread.sleep(POLL.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new DevException("Waiting for process " + orphan.pid() + " was interrupted.", e);
      }
    }
    return true;
  }

  public static boolean runsAProgram(ProcessHandle process) {
    return process.info().command().isPresent();
  }
}
