package io.asyncflow.worker;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.worker.internal.Gpus;
import io.asyncflow.worker.internal.MissingLog;
import io.asyncflow.worker.internal.StartTellingClient;
import io.asyncflow.worker.internal.WorkerLoops;
import io.asyncflow.worker.internal.loop.Ticker;
import io.asyncflow.worker.internal.poll.HoldLock;
import io.asyncflow.worker.internal.poll.NoHoldLock;
import io.asyncflow.worker.internal.poll.RedisAddress;
import io.asyncflow.worker.internal.poll.RedissonHoldLock;
import io.asyncflow.worker.internal.spool.DiskSpool;
import io.asyncflow.worker.internal.spool.NoSpool;
import io.asyncflow.worker.internal.spool.Spool;
import io.asyncflow.worker.internal.stage.AnnotatedStages;
import io.asyncflow.worker.internal.stage.StageRegistry;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds tasks, runs their stages, reports what came of it.
 *
 * <pre>{@code
 * Worker worker = Worker.builder()
 *     .url("http://127.0.0.1:8081")
 *     .handler("lark", "sendmsg", context -> StageResult.done())
 *     .build();
 * worker.start();
 * }</pre>
 *
 * <p>It may be started before the server, or the type, is there. Thread-safe; it starts once and
 * stops once.
 */
public final class Worker implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Worker.class);

  private final WorkerSettings settings;
  private final WorkerLoops loops;
  private final Thread shutdownHook;

  private Worker(Builder builder) {
    settings = builder.settings();
    String startId = UUID.randomUUID().toString();
    loops =
        new WorkerLoops(
            settings,
            builder.registry,
            new StartTellingClient(builder.client(), startId),
            new StartTellingClient(builder.heartbeats(), startId),
            builder.lock(),
            builder.spool(),
            builder.ticker,
            builder.whenDrained);
    shutdownHook = builder.stopsWithTheJvm ? new Thread(this::close, "asyncflow-shutdown") : null;
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Starts polling and returns at once.
   *
   * @throws IllegalStateException if it was started before
   */
  public void start() {
    MissingLog.tell();
    loops.start();
    if (shutdownHook != null) {
      Runtime.getRuntime().addShutdownHook(shutdownHook);
    }
  }

  /**
   * Stops and waits for it: queued tasks are given back at once, running ones have the grace that
   * is configured and are then interrupted and given back. Again, it does nothing.
   */
  @Override
  public void close() {
    stop(settings.shutdownGrace());
  }

  /**
   * Stops as {@link #close} does, with another grace; of two stops the shorter grace counts.
   *
   * @return {@code false} if a task was left to its lease, because its report found no server
   */
  public boolean stop(Duration grace) {
    boolean nothingLeft = loops.stop(grace);
    forgetShutdownHook();
    return nothingLeft;
  }

  private void forgetShutdownHook() {
    if (shutdownHook != null) {
      try {
        Runtime.getRuntime().removeShutdownHook(shutdownHook);
      } catch (IllegalStateException theJvmEnds) {
        // The hook is what runs this.
      }
    }
  }

  public WorkerState state() {
    return loops.state();
  }

  /** What it does at this moment. */
  public WorkerView view() {
    return loops.view();
  }

  public WorkerSettings settings() {
    return settings;
  }

  /** Collects what a worker needs; everything has a default but the handlers. */
  public static final class Builder {

    private static final String DEFAULT_URL = "http://127.0.0.1:8081";

    /** The answer to a heartbeat must come while the lease lasts. */
    private static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(3);

    private final StageRegistry registry = new StageRegistry();
    private final Map<String, Integer> slots = new LinkedHashMap<>();
    private final Map<String, String> labels = new LinkedHashMap<>();
    private int gpuSlots;
    private URI url = URI.create(DEFAULT_URL);
    private String apiKey;
    private RedisAddress redis;
    private FlowClient client;
    private boolean stopsWithTheJvm = true;
    private String workerId;
    private int threads;
    private int prefetch;
    private int backlogThreshold;
    private Duration shutdownGrace;
    private int stuckThreshold;
    private Path spoolDir;
    private Runnable whenDrained = () -> {};
    private Ticker ticker = Ticker.system();

    private Builder() {
      settings(WorkerSettings.defaults());
      slots.clear();
    }

    /**
     * Where flowsvr is, {@code http://127.0.0.1:8081} by default.
     *
     * @throws InvalidSettingException if it is no http or https URL
     */
    public Builder url(String value) {
      url = read("url", value, HttpFlowClient::parseUrl);
      return this;
    }

    /**
     * Sent as a bearer token; {@code null} or empty for none.
     *
     * @throws InvalidSettingException if a header cannot carry it
     */
    public Builder apiKey(String value) {
      apiKey = value == null ? null : read("apiKey", value, HttpFlowClient::checkApiKey);
      return this;
    }

    /**
     * A file that holds the key, instead of {@link #apiKey}. It is read once, now, and white space
     * around the key does not count. Every program of this user can read a key that is in a
     * variable, in {@code /proc}; a file may be deleted once the worker has started.
     *
     * @param file {@code null} for none
     * @throws InvalidSettingException if it cannot be read, or does not hold one key
     */
    public Builder apiKeyFile(Path file) {
      return file == null ? this : apiKey(keyIn(file));
    }

    private static String keyIn(Path file) {
      try {
        String key = Files.readString(file).strip();
        if (!key.isEmpty()) {
          return HttpFlowClient.checkApiKey(key);
        }
      } catch (IOException cannotBeRead) {
        throw new InvalidSettingException(
            "apiKeyFile", "a text file that this process can read, and not " + file);
      } catch (IllegalArgumentException noKey) {
        // Said below, and without the key.
      }
      throw new InvalidSettingException(
          "apiKeyFile",
          "a file with one key in it, of printable ASCII characters, and " + file + " is not");
    }

    /**
     * A Redis that lets the workers of a type hold one after the other, as {@code
     * redis://127.0.0.1:6379}; {@code null} or empty for none. It may be down at any time.
     *
     * @throws InvalidSettingException if it is no such address
     */
    public Builder redis(String value) {
      redis =
          value == null || value.isBlank() ? null : read("redisUrl", value, RedisAddress::parse);
      return this;
    }

    private static <T> T read(String setting, String value, Function<String, T> parse) {
      try {
        return parse.apply(value);
      } catch (IllegalArgumentException e) {
        throw new InvalidSettingException(setting, e.getMessage());
      }
    }

    /**
     * Instead of HTTP to {@link #url}; for tests. Reports are spooled then only if {@link
     * #spoolDir} says where.
     */
    public Builder client(FlowClient value) {
      client = value;
      return this;
    }

    /** Runs a stage of a type without a slot. */
    public Builder handler(String taskType, String stage, StageHandler handler) {
      return handler(taskType, stage, handler, StageNeeds.nothing());
    }

    /** Runs a stage of a type on a {@link Slot}. */
    public Builder slotHandler(String taskType, String stage, StageHandler handler) {
      return handler(taskType, stage, handler, true);
    }

    /**
     * @throws InvalidStageException if a name cannot be one, or the stage has a handler already
     */
    public Builder handler(String taskType, String stage, StageHandler handler, boolean slot) {
      return handler(taskType, stage, handler, StageNeeds.slots(slot ? 1 : 0));
    }

    /**
     * Runs a stage of a type, if this worker has what it needs.
     *
     * @throws InvalidStageException if a name cannot be one, or the stage has a handler already
     */
    public Builder handler(String taskType, String stage, StageHandler handler, StageNeeds needs) {
      registry.register(taskType, stage, handler, needs);
      return this;
    }

    /** Splits the jobs of a type. */
    public Builder splitter(String jobType, JobSplitter splitter) {
      return handler(jobType, JobSplitter.STAGE, AnnotatedStages.handlerOf(splitter), false);
    }

    /** Merges the jobs of a type. */
    public Builder merger(String jobType, JobMerger merger) {
      return handler(jobType, JobMerger.STAGE, AnnotatedStages.handlerOf(merger), false);
    }

    /**
     * Runs a stage of a type for several tasks at once, if this worker has what it needs.
     *
     * @throws InvalidStageException if a name cannot be one, or the stage has a handler already
     */
    public Builder batchHandler(
        String taskType, String stage, BatchStageHandler handler, StageNeeds needs) {
      registry.register(taskType, stage, handler, needs);
      return this;
    }

    /**
     * Runs the stages that the object's class ({@link StageHandler} or {@link BatchStageHandler})
     * or its methods name with {@link Stage}.
     *
     * @throws InvalidStageException if it names none, or a method cannot be called so
     */
    public Builder handlers(Object annotated) {
      AnnotatedStages.register(annotated, registry);
      return this;
    }

    /** Everything that {@link WorkerSettings} holds, at once. */
    public Builder settings(WorkerSettings value) {
      slots.clear();
      slots.putAll(value.slots());
      labels.clear();
      labels.putAll(value.labels());
      return workerId(value.workerId())
          .threads(value.threads())
          .prefetch(value.prefetch())
          .backlogThreshold(value.backlogThreshold())
          .shutdownGrace(value.shutdownGrace())
          .stuckThreshold(value.stuckThreshold())
          .spoolDir(value.spoolDir());
    }

    /** See {@link WorkerSettings#workerId}. */
    public Builder workerId(String value) {
      workerId = value;
      return this;
    }

    /** See {@link WorkerSettings#threads}. */
    public Builder threads(int value) {
      threads = value;
      return this;
    }

    /** See {@link WorkerSettings#prefetch}. */
    public Builder prefetch(int value) {
      prefetch = value;
      return this;
    }

    /** See {@link WorkerSettings#backlogThreshold}. */
    public Builder backlogThreshold(int value) {
      backlogThreshold = value;
      return this;
    }

    /** See {@link WorkerSettings#shutdownGrace}. */
    public Builder shutdownGrace(Duration value) {
      shutdownGrace = value;
      return this;
    }

    /** Adds a device and its places; without any there is one place on {@code cpu}. */
    public Builder slots(String device, int places) {
      slots.put(device, places);
      return this;
    }

    /**
     * Looks for GPUs with {@code nvidia-smi} and adds each as device {@code cuda:…} with so many
     * places, and the label {@code gpu} with the model of the first; 0, the default, looks for
     * none. Where none is found, nothing is added: stages that need the label are left to other
     * workers.
     */
    public Builder gpuSlots(int places) {
      gpuSlots = places;
      return this;
    }

    /** Adds a word about the machine, for operators to see and for stages to need. */
    public Builder label(String name, String value) {
      labels.put(name, value);
      return this;
    }

    /** See {@link WorkerSettings#stuckThreshold}. */
    public Builder stuckThreshold(int value) {
      stuckThreshold = value;
      return this;
    }

    /**
     * See {@link WorkerSettings#spoolDir}; {@code null} for none. Workers may share it. Each server
     * has a directory of its own in it, named by its URL.
     */
    public Builder spoolDir(Path value) {
      spoolDir = value;
      return this;
    }

    /**
     * Called once this worker has stopped because an operator drained it; for a process that would
     * not end by itself then. It does nothing by default.
     */
    public Builder whenDrained(Runnable value) {
      whenDrained = Objects.requireNonNull(value, "whenDrained");
      return this;
    }

    /** Whether the end of the JVM closes the worker; {@code true}. */
    public Builder stopsWithTheJvm(boolean value) {
      stopsWithTheJvm = value;
      return this;
    }

    /**
     * @throws InvalidSettingException if a setting is out of range, or it has what no stage needs
     * @throws IllegalArgumentException if there is no handler
     */
    public Worker build() {
      if (registry.isEmpty()) {
        throw new IllegalArgumentException(
            "a worker without a handler has nothing to do; name one with handler(…)");
      }
      return new Worker(this);
    }

    /** For tests that want time to go slower. */
    Builder ticker(Ticker value) {
      ticker = value;
      return this;
    }

    private WorkerSettings settings() {
      addGpus();
      return new WorkerSettings(
          workerId,
          threads,
          prefetch,
          backlogThreshold,
          shutdownGrace,
          slots.isEmpty() ? WorkerSettings.defaults().slots() : slots,
          labels,
          stuckThreshold,
          usedSpoolDir());
    }

    private void addGpus() {
      if (gpuSlots < 0) {
        throw new InvalidSettingException("gpuSlots", "at least 0");
      }
      if (gpuSlots > 0) {
        for (Gpus.Gpu gpu : Gpus.found()) {
          slots.putIfAbsent(gpu.device(), gpuSlots);
          labels.putIfAbsent("gpu", gpu.model());
        }
      }
    }

    private FlowClient client() {
      return client != null ? client : new HttpFlowClient(url, apiKey);
    }

    /** A client of the caller's own may lead anywhere; the reports of others are not for it. */
    private Path usedSpoolDir() {
      boolean byDefault = WorkerSettings.defaultSpoolDir().equals(spoolDir);
      return client != null && byDefault ? null : spoolDir;
    }

    private Spool spool() {
      Path directory = usedSpoolDir();
      if (directory == null) {
        if (spoolDir != null) {
          log.warn(
              "reports that find no server are kept in memory alone, and lost if this process ends:"
                  + " a client of your own may lead anywhere; name a spoolDir for it");
        }
        return new NoSpool();
      }
      DiskSpool spool = new DiskSpool(directory.resolve(serverName()));
      spool.warnIfItCannotBeWritten();
      return spool;
    }

    /** As a file may be called; without a password. */
    private String serverName() {
      String address = url.getAuthority().replaceAll(".*@", "") + url.getPath();
      String server = client == null ? url.getScheme() + "_" + address : "client";
      return server.replaceAll("[^A-Za-z0-9.-]+", "_");
    }

    private FlowClient heartbeats() {
      return client != null ? client : new HttpFlowClient(url, apiKey, HEARTBEAT_TIMEOUT);
    }

    private HoldLock lock() {
      return redis == null ? new NoHoldLock() : new RedissonHoldLock(redis);
    }
  }
}
