package io.asyncflow.worker.engine;

import io.asyncflow.worker.BatchRun;
import io.asyncflow.worker.ChildPrograms;
import io.asyncflow.worker.ResourceException;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.engine.EngineMessage.Failure;
import io.asyncflow.worker.engine.EngineMessage.MalformedException;
import io.asyncflow.worker.engine.EngineMessage.Progress;
import io.asyncflow.worker.engine.EngineMessage.Ready;
import io.asyncflow.worker.engine.EngineMessage.Result;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One process of an engine, from its start to its end.
 *
 * <p>{@link #run} may be called by one thread at a time, {@link #close} by any.
 */
final class EngineProcess {

  /** An event from the reader of the standard output. */
  private sealed interface Event {}

  private record Said(EngineMessage message) implements Event {}

  /**
   * @param why the reason, which continues a sentence that begins with the engine's name
   */
  private record Ended(String why, boolean byOthers) implements Event {}

  @FunctionalInterface
  private interface Writing {
    void run() throws IOException;
  }

  private static final Logger log = LoggerFactory.getLogger(EngineHandler.class);

  /** The maximum number of unread events; a process that floods blocks on its pipe. */
  private static final int MOST_EVENTS = 1000;

  /** How often a batch checks whether one of its runs was cancelled. */
  private static final Duration LOOK = Duration.ofMillis(200);

  /** The last lines may arrive a little after the end of the process. */
  private static final Duration LAST_LINES = Duration.ofMillis(500);

  private static final Duration FOR_EVER = Duration.ofDays(365);

  /** Exit codes of a process ended by an external signal: 128 plus SIGTERM or SIGKILL. */
  private static final List<Integer> KILLED = List.of(143, 137);

  private final EngineSettings settings;
  private final ProcessGroup group;
  private final EngineLog stderr;
  private final BlockingQueue<Event> events = new ArrayBlockingQueue<>(MOST_EVENTS);
  private final ExecutorService writing;
  private final Thread reading;
  private final Writer stdin;
  private final long startedAt = System.nanoTime();
  private boolean ready;
  private boolean outOfMemory;
  private volatile boolean broken;

  private EngineProcess(EngineSettings settings, ProcessGroup group, Slot slot) {
    this.settings = settings;
    this.group = group;
    Process process = group.leader();
    String thread = settings.name() + "-" + slot.device() + "-" + slot.index();
    stdin =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    writing = Executors.newSingleThreadExecutor(task -> daemon(thread + "-in", task));
    stderr = new EngineLog(settings.name(), process.getErrorStream());
    reading = daemon(thread + "-out", this::read);
    reading.start();
    daemon(thread + "-err", stderr).start();
    daemon(thread + "-end", this::awaitEnd).start();
    send(EngineMessage.hello(slot.device(), slot.index()));
  }

  /**
   * @throws ResourceException if the program does not exist on this machine, or cannot be isolated
   *     any more
   */
  static EngineProcess start(EngineSettings settings, Slot slot) {
    ProcessBuilder builder = ChildPrograms.of(commandOf(settings));
    if (settings.directory() != null) {
      builder.directory(settings.directory().toFile());
    }
    Map<String, String> environment = builder.environment();
    environment.put("CUDA_VISIBLE_DEVICES", CudaDevices.visibleTo(slot));
    environment.putAll(settings.environment());
    try {
      ProcessGroup group = ProcessGroup.start(builder);
      log.info("engine {} starts on {} as process {}", settings.name(), slot, group.leader().pid());
      return new EngineProcess(settings, group, slot);
    } catch (IOException e) {
      throw new ResourceException(
          "engine " + settings.name() + " cannot be started: " + e.getMessage(), e);
    }
  }

  private static List<String> commandOf(EngineSettings settings) {
    try {
      return settings.startCommand();
    } catch (IllegalStateException | UncheckedIOException e) {
      throw new ResourceException(
          "engine " + settings.name() + " cannot be started: " + e.getMessage(), e);
    }
  }

  private static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  boolean alive() {
    return !broken && group.leader().isAlive();
  }

  /**
   * Runs all tasks in the engine, and completes or fails each of them.
   *
   * @throws InterruptedException if the caller was interrupted; the engine has then stopped the
   *     runs or was killed
   */
  void run(List<? extends BatchRun> tasks) throws InterruptedException {
    stderr.begin(tasks.stream().map(BatchRun::context).toList());
    Map<String, BatchRun> open = new LinkedHashMap<>();
    tasks.forEach(task -> open.put(EngineMessage.idOf(task.context()), task));
    try {
      awaitReady();
      send(EngineMessage.run(tasks.stream().map(BatchRun::context).toList()));
      converse(open);
      if (outOfMemory && tasks.size() == 1) {
        log.info("engine {} has too little memory for one task and is restarted", settings.name());
        kill();
      }
    } catch (EngineException | ResourceException e) {
      kill();
      open.values().forEach(task -> task.fail(e));
    }
  }

  private void awaitReady() throws InterruptedException {
    long deadline = startedAt + settings.startTimeout().toNanos();
    while (!ready) {
      Event event = events.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (event == null) {
        throw new ResourceException(
            named("was not ready within " + settings.startTimeout().toMillis() + " ms"));
      }
      if (event instanceof Ended end) {
        throw new ResourceException(named(end.why() + " before it was ready"));
      }
      if (!(((Said) event).message() instanceof Ready answer)) {
        throw new ResourceException(named("sent another message before it was ready"));
      }
      if (answer.protocol() != EngineMessage.PROTOCOL) {
        throw new ResourceException(
            named(
                "speaks protocol "
                    + answer.protocol()
                    + ", and this worker speaks "
                    + EngineMessage.PROTOCOL));
      }
      ready = true;
      log.info("engine {} is ready: {}", settings.name(), answer.engine());
    }
  }

  private void converse(Map<String, BatchRun> open) throws InterruptedException {
    boolean batch = open.size() > 1;
    Duration silence = settings.silence() == null ? FOR_EVER : settings.silence();
    Duration step = batch && LOOK.compareTo(silence) < 0 ? LOOK : silence;
    List<String> cancelled = new ArrayList<>();
    long lastMessageAt = System.nanoTime();
    try {
      while (!open.isEmpty()) {
        Event event = events.poll(step.toNanos(), TimeUnit.NANOSECONDS);
        if (event != null) {
          lastMessageAt = System.nanoTime();
          take(event, open);
        } else if (System.nanoTime() - lastMessageAt >= silence.toNanos()) {
          throw new EngineException(
              named("sent no message for " + silence.toMillis() + " ms and was killed"));
        }
        if (batch) {
          cancelSome(open, cancelled);
        }
      }
    } catch (InterruptedException e) {
      cancelAll(open);
      if (!open.isEmpty()) {
        throw e;
      }
    }
  }

  /**
   * Cancels some runs of a batch; the others continue, and the results of the cancelled ones are
   * ignored.
   */
  private void cancelSome(Map<String, BatchRun> open, List<String> cancelled) {
    List<String> ids =
        open.values().stream()
            .filter(task -> task.context().cancelled())
            .map(task -> EngineMessage.idOf(task.context()))
            .filter(id -> !cancelled.contains(id))
            .toList();
    if (!ids.isEmpty()) {
      cancelled.addAll(ids);
      send(EngineMessage.cancel(ids));
    }
  }

  /** Cancels all runs. An engine that obeys stays warm; any other is killed. */
  private void cancelAll(Map<String, BatchRun> open) {
    send(EngineMessage.cancel(List.copyOf(open.keySet())));
    long deadline = System.nanoTime() + settings.cancelGrace().toNanos();
    try {
      while (!open.isEmpty()) {
        long remaining = deadline - System.nanoTime();
        // Check the time first: an engine that floods always has another event.
        Event event = remaining <= 0 ? null : events.poll(remaining, TimeUnit.NANOSECONDS);
        if (event == null) {
          log.warn("engine {} ignores a cancel and is killed", settings.name());
          kill();
          return;
        }
        if (event instanceof Said said && said.message() instanceof Failure failure) {
          // Whatever the engine's error, the run has stopped because it was cancelled.
          BatchRun stopped = open.remove(failure.id());
          if (stopped != null) {
            stopped.fail(new InterruptedException(named("was cancelled")));
          }
        } else {
          take(event, open);
        }
      }
    } catch (EngineException | ResourceException e) {
      kill();
    } catch (InterruptedException again) {
      kill();
    }
  }

  private void take(Event event, Map<String, BatchRun> open) {
    if (event instanceof Ended end) {
      String why = named(end.why());
      throw end.byOthers() ? new ResourceException(why) : new EngineException(why);
    }
    EngineMessage message = ((Said) event).message();
    // An unknown id is a late answer to a cancelled run.
    if (message instanceof Progress progress && open.containsKey(progress.id())) {
      int percent = Math.max(0, Math.min(100, progress.percent()));
      open.get(progress.id()).context().progress(percent);
    } else if (message instanceof Result result && open.containsKey(result.id())) {
      open.remove(result.id()).complete(result.result());
    } else if (message instanceof Failure failure && open.containsKey(failure.id())) {
      outOfMemory |= failure.kind() == EngineMessage.Kind.OUT_OF_MEMORY;
      open.remove(failure.id()).fail(failure.reason());
    }
  }

  private String named(String what) {
    return "engine " + settings.name() + " " + what + stderr.lastWords();
  }

  private void send(String line) {
    write(
        () -> {
          stdin.write(line);
          stdin.write('\n');
          stdin.flush();
        });
  }

  /**
   * Writes on the writer's thread, because a process that does not read would block any other
   * thread.
   */
  private void write(Writing what) {
    try {
      writing.execute(
          () -> {
            try {
              what.run();
            } catch (IOException e) {
              log.debug("engine {} reads no more", settings.name(), e);
            }
          });
    } catch (RejectedExecutionException e) {
      log.debug("engine {} was killed before a message was written", settings.name());
    }
  }

  private void read() {
    try {
      Ended end = readUntilTheEnd();
      broken = true;
      log.info("engine {} {}", settings.name(), end.why());
      events.put(end);
    } catch (InterruptedException e) {
      log.debug("engine {} was killed during a message", settings.name());
    } finally {
      // Its messages are not read any more, so it must end.
      group.kill();
    }
  }

  private Ended readUntilTheEnd() throws InterruptedException {
    BoundedLines lines = new BoundedLines(group.leader().getInputStream(), settings.longestLine());
    try {
      for (BoundedLines.Line line = lines.next(); line != null; line = lines.next()) {
        if (!line.whole()) {
          throw new MalformedException(
              "printed a line of more than " + settings.longestLine() + " bytes");
        }
        events.put(new Said(EngineMessage.parse(line.text())));
      }
    } catch (MalformedException e) {
      return new Ended(e.getMessage(), false);
    } catch (IOException e) {
      log.debug("the standard output of engine {} is closed", settings.name(), e);
    }
    if (!group.leader().waitFor(LAST_LINES.toMillis(), TimeUnit.MILLISECONDS)) {
      return new Ended("closed its standard output", false);
    }
    return endOf(group.leader().exitValue());
  }

  private static Ended endOf(int exit) {
    return KILLED.contains(exit)
        ? new Ended(
            "was killed by signal " + (exit - 128) + ", as the system does when memory is short",
            true)
        : new Ended("ended with exit code " + exit, false);
  }

  /**
   * Kills the children with the process; a child that keeps the pipe open would block the reader.
   *
   * <p>Runs on its own thread: {@link Process#onExit} completes on the common pool, all of whose
   * threads handlers may occupy.
   */
  private void awaitEnd() {
    try {
      int exit = group.leader().waitFor();
      group.kill();
      reading.join(LAST_LINES.toMillis());
      events.offer(endOf(exit));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // never interrupted
    }
  }

  /** Kills the process with its children; later messages are ignored. */
  private void kill() {
    broken = true;
    group.kill();
    reading.interrupt();
    writing.shutdownNow();
    events.clear();
  }

  /**
   * Closes the standard input, which asks the process to end; kills it after the grace, or at once
   * if the caller is interrupted.
   */
  void close(Duration grace) throws InterruptedException {
    write(stdin::close);
    try {
      if (!group.leader().waitFor(grace.toNanos(), TimeUnit.NANOSECONDS)) {
        log.warn("engine {} does not end by itself and is killed", settings.name());
      }
    } finally {
      kill();
    }
  }
}
