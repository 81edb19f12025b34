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
 * Runs a stage in a program of any language, which speaks JSON lines on its standard input and
 * output as docs/engines.md has it.
 *
 * <pre>{@code
 * EngineHandler engine = EngineHandler.builder("python3", "engine.py").build();
 * Worker worker = Worker.builder().slots("cuda:0", 2).handler("tts", "speak", engine, true).build();
 * }</pre>
 *
 * <p>One process a slot, started by the first run on it and kept warm. It sees its slot's GPU as
 * the only one, and of the worker's environment what {@link ChildPrograms} passes on. It is killed,
 * with all that it has started, when it heeds no cancel, hangs, or prints what is no message; the
 * next run starts a new one. The stage must be one that takes a slot.
 *
 * <p>Thread-safe. Close it after the worker.
 */
public final class EngineHandler implements StageHandler, BatchStageHandler, AutoCloseable {

  /** How long an engine may take to end once nothing more can come. */
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
   * @param command the program, found as the system finds programs, and its arguments
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

  /** Ends all processes: those that do not end by themselves are killed. */
  @Override
  public void close() {
    List<EngineProcess> left;
    synchronized (this) {
      closed = true;
      left = new ArrayList<>(processes.values());
      processes.clear();
    }
    for (EngineProcess process : left) {
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

  /** The one task of a run without a batch. */
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

  /** Collects how an engine is run; everything but the command has a default. */
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

    private Builder(List<String> command) {
      if (command.isEmpty()) {
        throw new IllegalArgumentException("an engine needs a command");
      }
      this.command = command;
      Path program = Path.of(command.get(0)).getFileName();
      this.name = program == null ? command.get(0) : program.toString();
    }

    /** What logs and errors call it; the program's name by default. */
    public Builder name(String value) {
      name = Objects.requireNonNull(value, "name");
      return this;
    }

    /** Where it runs; the worker's own directory by default. */
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

    /** How long it may load until it is ready, two minutes by default. */
    public Builder startTimeout(Duration value) {
      startTimeout = positive("startTimeout", value);
      return this;
    }

    /**
     * How long it may take to heed a cancel before it is killed, 300 ms by default; a worker that
     * stops waits no longer than 500 ms.
     */
    public Builder cancelGrace(Duration value) {
      cancelGrace = positive("cancelGrace", value);
      return this;
    }

    /**
     * An engine that says nothing for so long while it runs a task, no progress either, hangs and
     * is killed. Without it, which is the default, the end of the attempt's time ends it.
     */
    public Builder silence(Duration value) {
      silence = positive("silence", value);
      return this;
    }

    /** The longest line that is read from it, in bytes, 1 MiB by default. */
    public Builder longestLine(int bytes) {
      if (bytes < 1) {
        throw new IllegalArgumentException("longestLine must be at least 1");
      }
      longestLine = bytes;
      return this;
    }

    /**
     * How batches are made, where the engine is registered as a {@link BatchStageHandler}.
     *
     * @param atMost tasks of a batch, 16 by default
     * @param key what they have in common, as model and voice; by default any go together
     */
    public Builder batches(int atMost, Function<StageContext, Object> key) {
      maxTasks = atMost;
      batchKey = Objects.requireNonNull(key, "key");
      return this;
    }

    /** Starts nothing yet. */
    public EngineHandler build() {
      return new EngineHandler(
          this,
          new EngineSettings(
              name,
              command,
              directory,
              Map.copyOf(environment),
              startTimeout,
              cancelGrace,
              silence,
              longestLine));
    }

    private static Duration positive(String what, Duration value) {
      if (value.isNegative() || value.isZero()) {
        throw new IllegalArgumentException(what + " must be longer than 0");
      }
      return value;
    }
  }
}
