package io.asyncflow.worker.engine;

import io.asyncflow.worker.BatchRun;
import io.asyncflow.worker.BatchStageHandler;
import io.asyncflow.worker.ChildPrograms;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * Runs a stage in a program of any language, which exchanges JSON lines on its standard input and
 * output as described in docs/engines.md.
 *
 * <pre>{@code
 * EngineHandler engine = EngineHandler.builder("python3", "engine.py").build();
 * Worker worker = Worker.builder().slots("cuda:0", 2).handler("tts", "speak", engine, true).build();
 * }</pre>
 *
 * <p>Each slot has one process, which the first run on it starts and which stays warm. It sees only
 * its slot's GPU and the environment variables that {@link ChildPrograms} passes on. It is killed
 * together with its child processes when it ignores a cancel, hangs, or prints an invalid message;
 * the next run starts a new one. The stage must take a slot.
 *
 * <p>Thread-safe. Close it after the worker.
 */
public final class EngineHandler implements StageHandler, BatchStageHandler, AutoCloseable {

  /** How long an engine may take to end after its input was closed. */
  private static final Duration CLOSE_GRACE = Duration.ofSeconds(2);

  private final EngineSettings settings;
  private final Map<Slot, EngineProcess> processes = new LinkedHashMap<>();
  private boolean closed;

  private final int maxTasks;
  private final Function<StageContext, Object> batchKey;

  private EngineHandler(Builder builder, EngineSettings settings) {
    this.settings = settings;
    this.maxTasks = builder.maxTasks;
    this.batchKey = builder.batchKey;
  }

  /**
   * @param command the program, resolved by the system's search path, and its arguments
   */
  public static Builder builder(String... command) {
    return new Builder(List.of(command));
  }

  @Override
  public StageResult handle(StageContext context) throws Exception {
    SingleTask task = new SingleTask(context);
    processOn(slotOf(context)).run(List.of(task));
    return task.outcome();
  }

  @Override
  public void handle(List<BatchRun> batch) throws InterruptedException {
    processOn(slotOf(batch.get(0).context())).run(batch);
  }

  @Override
  public int maxTasks() {
    return maxTasks;
  }

  @Override
  public Object key(StageContext context) {
    return batchKey.apply(context);
  }

  private static Slot slotOf(StageContext context) {
    return context
        .slot()
        .orElseThrow(
            () ->
                new NonRetryableException(
                    "stage " + context.stage() + " is run by an engine and must take a slot"));
  }

  private synchronized EngineProcess processOn(Slot slot) {
    if (closed) {
      throw new IllegalStateException("engine " + settings.name() + " is closed");
    }
    EngineProcess running = processes.get(slot);
    if (running != null && running.alive()) {
      return running;
    }
    EngineProcess started = EngineProcess.start(settings, slot);
    processes.put(slot, started);
    return started;
  }

  /** Ends all processes; kills those that do not end by themselves. */
  @Override
  public void close() {
    List<EngineProcess> open;
    synchronized (this) {
      closed = true;
      open = new ArrayList<>(processes.values());
      processes.clear();
    }
    for (EngineProcess process : open) {
      try {
        process.close(CLOSE_GRACE);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public String toString() {
    return "engine " + settings.name();
  }

  /** The task of a run without a batch. */
  private static final class SingleTask implements BatchRun {

    private final StageContext context;
    private StageResult result;
    private Exception failure;

    SingleTask(StageContext context) {
      this.context = context;
    }

    @Override
    public StageContext context() {
      return context;
    }

    @Override
    public void complete(StageResult value) {
      result = value;
    }

    @Override
    public void fail(Exception reason) {
      failure = reason;
    }

    StageResult outcome() throws Exception {
      if (failure != null) {
        throw failure;
      }
      return result;
    }
  }

  /** Builds an engine handler; everything but the command has a default. Not thread-safe. */
  public static final class Builder {

    private final List<String> command;
    private final Map<String, String> environment = new LinkedHashMap<>();
    private String name;
    private Path directory;
    private Duration startTimeout = Duration.ofMinutes(2);
    private Duration cancelGrace = Duration.ofMillis(300);
    private Duration silence;
    private int longestLine = 1 << 20;
    private int maxTasks = 16;
    private Function<StageContext, Object> batchKey = context -> "";
    private Isolation isolation;

    private Builder(List<String> command) {
      if (command.isEmpty()) {
        throw new IllegalArgumentException("an engine needs a command");
      }
      this.command = command;
      Path program = Path.of(command.get(0)).getFileName();
      this.name = program == null ? command.get(0) : program.toString();
    }

    /** Sets the engine's name in logs and errors; the program's name by default. */
    public Builder name(String value) {
      name = Objects.requireNonNull(value, "name");
      return this;
    }

    /** Sets the working directory; the worker's own by default. */
    public Builder directory(Path value) {
      directory = value;
      return this;
    }

    /**
     * Adds a variable to those that {@link ChildPrograms} passes on, or replaces one of them; a
     * variable of the worker that is not among them is passed on by its name: {@code
     * environment("HF_TOKEN", System.getenv("HF_TOKEN"))}.
     */
    public Builder environment(String variable, String value) {
      environment.put(variable, Objects.requireNonNull(value, variable));
      return this;
    }

    /** Sets how long the engine may take until it is ready, two minutes by default. */
    public Builder startTimeout(Duration value) {
      startTimeout = positive("startTimeout", value);
      return this;
    }

    /**
     * Sets how long the engine may take to obey a cancel before it is killed, 300 ms by default; a
     * stopping worker waits at most 500 ms.
     */
    public Builder cancelGrace(Duration value) {
      cancelGrace = positive("cancelGrace", value);
      return this;
    }

    /**
     * Sets after which time without any message during a run, including progress, the engine counts
     * as hanging and is killed. By default there is no such limit, and only the attempt's deadline
     * ends it.
     */
    public Builder silence(Duration value) {
      silence = positive("silence", value);
      return this;
    }

    /** Sets the longest line that the engine may print, in bytes, 1 MiB by default. */
    public Builder longestLine(int bytes) {
      if (bytes < 1) {
        throw new IllegalArgumentException("longestLine must be at least 1");
      }
      longestLine = bytes;
      return this;
    }

    /**
     * Sets how batches are formed if the engine is registered as a {@link BatchStageHandler}.
     *
     * @param atMost the maximum number of tasks in a batch, 16 by default
     * @param key the key that the tasks of a batch share, such as model and voice; by default all
     *     tasks share one
     */
    public Builder batches(int atMost, Function<StageContext, Object> key) {
      maxTasks = atMost;
      batchKey = Objects.requireNonNull(key, "key");
      return this;
    }

    /** Sets how the processes are kept apart from the worker; by default they are not. */
    public Builder isolated(Isolation value) {
      isolation = Objects.requireNonNull(value, "isolation");
      return this;
    }

    /**
     * Builds the handler; no process is started yet.
     *
     * @throws IllegalStateException if this system cannot isolate the engine as asked for
     */
    public EngineHandler build() {
      EngineSettings settings =
          new EngineSettings(
              name,
              command,
              isolation,
              directory,
              Map.copyOf(environment),
              startTimeout,
              cancelGrace,
              silence,
              longestLine);
      settings.startCommand();
      return new EngineHandler(this, settings);
    }

    private static Duration positive(String name, Duration value) {
      if (value.isNegative() || value.isZero()) {
        throw new IllegalArgumentException(name + " must be longer than 0");
      }
      return value;
    }
  }
}
