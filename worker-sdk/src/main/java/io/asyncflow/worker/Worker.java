package io.asyncflow.worker;

import io.asyncflow.api.ApiKeyFile;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.RecordCopy;
import io.asyncflow.api.TrustedRoots;
import io.asyncflow.api.codec.PayloadCodec;
import io.asyncflow.api.codec.Sealing;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.worker.internal.Gpus;
import io.asyncflow.worker.internal.MissingLog;
import io.asyncflow.worker.internal.WorkerLoops;
import io.asyncflow.worker.internal.execute.GuardedTracing;
import io.asyncflow.worker.internal.loop.Ticker;
import io.asyncflow.worker.internal.poll.NoHoldLock;
import io.asyncflow.worker.internal.schedule.AnnotatedSchedules;
import io.asyncflow.worker.internal.schedule.Schedules;
import io.asyncflow.worker.internal.spool.DiskSpool;
import io.asyncflow.worker.internal.spool.NoSpool;
import io.asyncflow.worker.internal.spool.Spool;
import io.asyncflow.worker.internal.stage.AnnotatedStages;
import io.asyncflow.worker.internal.stage.StageRegistry;
import io.asyncflow.worker.tracing.RunTracing;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker: holds tasks, runs their stages and reports the results.
 *
 * <pre>{@code
 * Worker worker = Worker.builder()
 *     .url("http://127.0.0.1:8081")
 *     .handler("lark", "sendmsg", context -> StageResult.done())
 *     .build();
 * worker.start();
 * }</pre>
 *
 * <p>It may be started before the server or the task type exists. Thread-safe; a worker starts once
 * and stops once.
 */
public final class Worker implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Worker.class);

  private final WorkerSettings settings;
  private final WorkerLoops loops;
  private final Thread shutdownHook;

  private Worker(Builder builder) {
    settings = builder.settings();
    ChildPrograms.note(builder.keyFile, settings.spoolDir());
    loops =
        new WorkerLoops(
            settings,
            builder.registry,
            builder.sealing.sealed(builder.schedules.all()),
            builder.client(),
            builder.heartbeats(),
            builder.sealing,
            builder.tracing,
            builder.lock.get(),
            builder.spool(),
            builder.ticker,
            builder.whenDrained);
    builder.runEnds.forEach(loops::whenRunEnds);
    shutdownHook = builder.stopsWithTheJvm ? new Thread(this::close, "asyncflow-shutdown") : null;
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Starts polling and returns at once.
   *
   * @throws IllegalStateException if the worker was started before
   */
  public void start() {
    MissingLog.tell();
    loops.start();
    if (shutdownHook != null) {
      Runtime.getRuntime().addShutdownHook(shutdownHook);
    }
  }

  /**
   * Stops the worker and waits for the end: queued tasks are released at once; running ones may
   * finish within the configured grace and are then interrupted and released. Repeated calls have
   * no effect.
   */
  @Override
  public void close() {
    stop(settings.shutdownGrace());
  }

  /**
   * Stops as {@link #close} does, with another grace; of two stops the shorter grace counts.
   *
   * <p>A stop that a handler calls waits for that handler, too: the handler goes on when the grace
   * is over, interrupted, and its result counts if it returns within half a second. Call it on a
   * thread of its own instead.
   *
   * @return {@code false} if a task waits for the end of its lease, because no server accepted its
   *     report, or if a listener of {@link Builder#whenRunEnds} calls this on a thread that the
   *     stop needs: then the stop has only begun
   */
  public boolean stop(Duration grace) {
    boolean nothingLeft = loops.stop(grace);
    if (state() == WorkerState.STOPPED) { // else the hook waits for the end of the stop
      forgetShutdownHook();
    }
    return nothingLeft;
  }

  private void forgetShutdownHook() {
    if (shutdownHook != null) {
      try {
        Runtime.getRuntime().removeShutdownHook(shutdownHook);
      } catch (IllegalStateException theJvmEnds) {
        // The JVM is stopping: the hook itself runs this.
      }
    }
  }

  /**
   * Stops asking for tasks until {@link #resume}; the tasks that it holds go on. A hold that is
   * open may still bring tasks, for as long as one long poll of the type lasts. Heartbeats show the
   * pause to operators, whose own pauses of this worker are independent of it.
   */
  public void pause() {
    loops.setPaused(true);
  }

  /** Asks for tasks again. */
  public void resume() {
    loops.setPaused(false);
  }

  /** Whether {@link #pause} was called, and {@link #resume} was not since. */
  public boolean isPaused() {
    return loops.isPaused();
  }

  public WorkerState state() {
    return loops.state();
  }

  /** A snapshot of the worker's activity. */
  public WorkerView view() {
    return loops.view();
  }

  public WorkerSettings settings() {
    return settings;
  }

  /** Builds a worker; everything but the handlers has a default. Not thread-safe. */
  public static final class Builder {

    private static final String DEFAULT_URL = "http://127.0.0.1:8081";

    /** The answer to a heartbeat must arrive before the lease ends. */
    private static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(3);

    private final StageRegistry registry = new StageRegistry();
    private final Schedules schedules = new Schedules();
    private final WorkerSettings defaults = WorkerSettings.defaults();

    /** The values of {@link WorkerSettings} by name, without slots and labels. */
    private final Map<String, Object> settings = RecordCopy.valuesOf(defaults);

    private final Map<String, Integer> slots = new LinkedHashMap<>();
    private final Map<String, String> labels = new LinkedHashMap<>();
    private int gpuSlots;
    private URI url = URI.create(DEFAULT_URL);
    private Supplier<String> apiKey = () -> null;
    private SSLContext tls;
    private Supplier<HoldLock> lock = NoHoldLock::new;
    private FlowClient client;
    private Sealing sealing = Sealing.OFF;
    private RunTracing tracing = RunTracing.OFF;
    private boolean stopsWithTheJvm = true;
    private Path keyFile;
    private Runnable whenDrained = () -> {};
    private final List<Consumer<RunEnd>> runEnds = new ArrayList<>();
    private Ticker ticker = Ticker.system();

    private Builder() {}

    /**
     * The URL of flowsvr, {@code http://127.0.0.1:8081} by default.
     *
     * @throws InvalidSettingException if it is not an http or https URL
     */
    public Builder url(String value) {
      url = read("url", value, HttpFlowClient::parseUrl);
      return this;
    }

    /**
     * The key, sent as a bearer token; {@code null} or empty for none.
     *
     * @throws InvalidSettingException if a header cannot carry it
     */
    public Builder apiKey(String value) {
      String key = value == null ? null : read("apiKey", value, HttpFlowClient::checkApiKey);
      return apiKeyFrom(() -> key);
    }

    /**
     * Where the key comes from, asked before each call; {@code null} or an empty text for none. A
     * call whose key is refused is made once more if there is another key by then. While the source
     * throws, calls end as in an outage and are not sent.
     */
    public Builder apiKeyFrom(Supplier<String> source) {
      apiKey = Objects.requireNonNull(source, "source");
      return this;
    }

    /**
     * A file that contains the key, instead of {@link #apiKey}; surrounding white space is ignored.
     * It is read by this call and whenever it has changed, so a key is replaced without a restart.
     * Every program of this user can read a key in an environment variable through {@code /proc}; a
     * file may be deleted once the worker has started.
     *
     * @param file {@code null} for none
     * @throws InvalidSettingException if the file cannot be read, or does not contain exactly one
     *     key
     */
    public Builder apiKeyFile(Path file) {
      keyFile = file;
      return file == null ? this : apiKeyFrom(keyIn(file));
    }

    private static ApiKeyFile keyIn(Path file) {
      try {
        return new ApiKeyFile(file);
      } catch (IOException cannotBeRead) {
        throw new InvalidSettingException(
            "apiKeyFile", "a text file that this process can read, and not " + file);
      } catch (IllegalArgumentException noKey) {
        throw new InvalidSettingException(
            "apiKeyFile",
            "a file with one key in it, of printable ASCII characters, and " + file + " is not");
      }
    }

    /**
     * A Redis for a lock with which the workers of a type hold one after another, such as {@code
     * redis://127.0.0.1:6379}; {@code null} or empty for none. It may be down at any time. Needs
     * the library {@code worker-redis}.
     *
     * @throws InvalidSettingException if it is not such an address, or the library is missing
     */
    public Builder redis(String value) {
      lock =
          value == null || value.isBlank()
              ? NoHoldLock::new
              : read("redisUrl", value, lockProvider()::at);
      return this;
    }

    private static HoldLock.Provider lockProvider() {
      return ServiceLoader.load(HoldLock.Provider.class, Worker.class.getClassLoader())
          .findFirst()
          .orElseThrow(
              () ->
                  new InvalidSettingException(
                      "redisUrl",
                      "unset where the library io.asyncflow:worker-redis is missing, which has the"
                          + " lock"));
    }

    /**
     * A PEM file with the certificate authorities to trust instead of Java's, for a server with a
     * certificate of your own authority. It is read once, by this call.
     *
     * @param file {@code null} for those of Java
     * @throws InvalidSettingException if the file has no certificate
     */
    public Builder caFile(Path file) {
      tls = file == null ? null : read("caFile", file, TrustedRoots::in);
      return this;
    }

    private static <V, T> T read(String setting, V value, Function<V, T> parse) {
      try {
        return parse.apply(value);
      } catch (IllegalArgumentException e) {
        throw new InvalidSettingException(setting, e.getMessage());
      }
    }

    /**
     * A client to use instead of HTTP to {@link #url}; for tests. Reports are then spooled only if
     * {@link #spoolDir} is set.
     */
    public Builder client(FlowClient value) {
      client = value;
      return this;
    }

    /**
     * Seals what handlers return, store and create, and what schedules create, so that flowsvr
     * cannot read it; opens what handlers get. Without a codec, a run whose context is sealed fails
     * and is tried again, perhaps by a worker that has one.
     */
    public Builder codec(PayloadCodec value) {
      sealing = Sealing.by(value);
      return this;
    }

    /**
     * Opens a span for each run, in the trace of the call that created its task; {@link
     * RunTracing#OFF} by default. What the run creates, calls by {@link StageContext#traceParent}
     * or does on its thread belongs to the span.
     */
    public Builder tracing(RunTracing value) {
      tracing = GuardedTracing.of(Objects.requireNonNull(value, "tracing"));
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
     * @throws InvalidStageException if a name is invalid, or the stage already has a handler
     */
    public Builder handler(String taskType, String stage, StageHandler handler, boolean slot) {
      return handler(taskType, stage, handler, StageNeeds.slots(slot ? 1 : 0));
    }

    /**
     * Runs a stage of a type, if this worker meets its requirements.
     *
     * @throws InvalidStageException if a name is invalid, or the stage already has a handler
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
     * Runs a stage of a type for several tasks at once, if this worker meets its requirements.
     *
     * @throws InvalidStageException if a name is invalid, or the stage already has a handler
     */
    public Builder batchHandler(
        String taskType, String stage, BatchStageHandler handler, StageNeeds needs) {
      registry.register(taskType, stage, handler, needs);
      return this;
    }

    /**
     * Runs the stages that the object's class ({@link StageHandler} or {@link BatchStageHandler})
     * or its methods name with {@link Stage}, and saves the schedules that they have with {@link
     * Cron}.
     *
     * @throws InvalidStageException if there is none, a marked method cannot be called as a
     *     handler, or a schedule is invalid
     */
    public Builder handlers(Object annotated) {
      AnnotatedStages.register(annotated, registry);
      schedules.addAll(AnnotatedSchedules.of(annotated));
      return this;
    }

    /**
     * Saves a schedule when the worker starts. The save is repeated while flowsvr is away or the
     * task type does not exist; polling does not wait for it. A save of the same definition changes
     * nothing. A schedule that flowsvr refuses is logged as an error, and the worker runs without
     * it. At most 1,000 schedules.
     *
     * @throws InvalidStageException if it has no plan or creates nothing, or another one has its
     *     name
     */
    public Builder schedule(NewSchedule value) {
      schedules.add(value);
      return this;
    }

    /** Sets all {@link WorkerSettings} at once. */
    public Builder settings(WorkerSettings value) {
      slots.clear();
      slots.putAll(value.slots());
      labels.clear();
      labels.putAll(value.labels());
      settings.putAll(RecordCopy.valuesOf(value));
      return this;
    }

    /** See {@link WorkerSettings#workerId}. */
    public Builder workerId(String value) {
      return set("workerId", value);
    }

    /** See {@link WorkerSettings#threads}. */
    public Builder threads(int value) {
      return set("threads", value);
    }

    /** See {@link WorkerSettings#prefetch}. */
    public Builder prefetch(int value) {
      return set("prefetch", value);
    }

    /** See {@link WorkerSettings#backlogThreshold}. */
    public Builder backlogThreshold(int value) {
      return set("backlogThreshold", value);
    }

    /** See {@link WorkerSettings#shutdownGrace}. */
    public Builder shutdownGrace(Duration value) {
      return set("shutdownGrace", value);
    }

    /** See {@link WorkerSettings#outagePatience}. */
    public Builder outagePatience(Duration value) {
      return set("outagePatience", value);
    }

    /**
     * Adds a device with its number of places; without any device there is one place on {@code
     * cpu}.
     */
    public Builder slots(String device, int places) {
      slots.put(device, places);
      return this;
    }

    /**
     * Detects GPUs with {@code nvidia-smi} and adds each as device {@code cuda:…} with this number
     * of places, and the label {@code gpu} with the model of the first; 0, the default, detects
     * none. If no GPU is found, nothing is added, and stages that require the label run on other
     * workers.
     */
    public Builder gpuSlots(int places) {
      gpuSlots = places;
      return this;
    }

    /**
     * Adds a label of the machine, shown to operators and matched with the labels that stages
     * require.
     */
    public Builder label(String name, String value) {
      labels.put(name, value);
      return this;
    }

    /** See {@link WorkerSettings#stuckThreshold}. */
    public Builder stuckThreshold(int value) {
      return set("stuckThreshold", value);
    }

    /** See {@link WorkerSettings#version}. */
    public Builder version(int value) {
      return set("version", value);
    }

    /**
     * See {@link WorkerSettings#spoolDir}; {@code null} for none. Workers may share it. It has a
     * subdirectory for each server, named after its URL.
     */
    public Builder spoolDir(Path value) {
      return set("spoolDir", value);
    }

    /**
     * A callback, run once after this worker has stopped because an operator drained it, for a
     * process that would otherwise not end. Does nothing by default.
     */
    public Builder whenDrained(Runnable value) {
      whenDrained = Objects.requireNonNull(value, "whenDrained");
      return this;
    }

    /**
     * A callback that is told of the end of each run, for metrics; there may be several. It is
     * called by the threads of the worker, after the run's report was queued, and must return at
     * once, unless it {@linkplain Worker#stop stops the worker}; what it throws is only logged.
     */
    public Builder whenRunEnds(Consumer<RunEnd> listener) {
      runEnds.add(Objects.requireNonNull(listener, "listener"));
      return this;
    }

    /** Whether a shutdown hook of the JVM closes the worker; {@code true} by default. */
    public Builder stopsWithTheJvm(boolean value) {
      stopsWithTheJvm = value;
      return this;
    }

    /**
     * @throws InvalidSettingException if a setting is out of range, or this worker meets no stage's
     *     requirements
     * @throws IllegalArgumentException if there is no handler
     */
    public Worker build() {
      if (registry.isEmpty()) {
        throw new IllegalArgumentException(
            "a worker without a handler has nothing to do; name one with handler(…)");
      }
      return new Worker(this);
    }

    /** Sets the clock; for tests. */
    Builder ticker(Ticker value) {
      ticker = value;
      return this;
    }

    private Builder set(String setting, Object value) {
      settings.put(setting, value);
      return this;
    }

    private WorkerSettings settings() {
      addGpus();
      settings.put("slots", slots.isEmpty() ? defaults.slots() : slots);
      settings.put("labels", labels);
      WorkerSettings wanted = RecordCopy.with(defaults, settings);
      return RecordCopy.with(wanted, "spoolDir", usedSpoolDir());
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
      return client != null ? client : overHttp(HttpFlowClient.REQUEST_TIMEOUT);
    }

    /**
     * The spool directory. With a custom client there is no default, because reports of other
     * servers must not be sent to its server.
     */
    private Path usedSpoolDir() {
      Path spoolDir = (Path) settings.get("spoolDir");
      boolean byDefault = WorkerSettings.defaultSpoolDir().equals(spoolDir);
      return client != null && byDefault ? null : spoolDir;
    }

    private Spool spool() {
      Path directory = usedSpoolDir();
      if (directory == null) {
        if (settings.get("spoolDir") != null) {
          log.warn(
              "reports that no server accepts are kept in memory and lost if this process ends:"
                  + " a custom client has no default spool; set spoolDir for it");
        }
        return new NoSpool();
      }
      DiskSpool spool = new DiskSpool(directory.resolve(serverName()));
      spool.warnIfNotWritable();
      return spool;
    }

    /** The server's URL as a file name, without a password. */
    private String serverName() {
      String address = url.getAuthority().replaceAll(".*@", "") + url.getPath();
      String server = client == null ? url.getScheme() + "_" + address : "client";
      return server.replaceAll("[^A-Za-z0-9.-]+", "_");
    }

    private FlowClient heartbeats() {
      return client != null ? client : overHttp(HEARTBEAT_TIMEOUT);
    }

    private FlowClient overHttp(Duration requestTimeout) {
      HttpFlowClient http = new HttpFlowClient(url, null, requestTimeout, tls).withKeyFrom(apiKey);
      return tracing == RunTracing.OFF ? http : http.withTraceParentFrom(tracing::traceParent);
    }
  }
}
