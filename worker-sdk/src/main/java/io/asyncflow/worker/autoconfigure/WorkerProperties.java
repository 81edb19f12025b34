package io.asyncflow.worker.autoconfigure;

import io.asyncflow.worker.WorkerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** The worker of this application. */
@ConfigurationProperties("asyncflow.worker")
public class WorkerProperties {

  /** Whether this application is a worker. */
  private boolean enabled = true;

  /** Where flowsvr is. Default: the environment's FLOW_URL, or http://127.0.0.1:8081. */
  private String url;

  /** Sent to flowsvr as a bearer token. Default: the environment's FLOW_API_KEY, or none. */
  private String apiKey;

  /**
   * A file with the key, instead of api-key. Default: the environment's FLOW_API_KEY_FILE, or none.
   */
  private String apiKeyFile;

  /**
   * A Redis that lets the workers of a type hold one after the other. It may be down at any time.
   * Default: the environment's FLOW_REDIS_URL, or none.
   */
  private String redisUrl;

  /** Names this process to flowsvr, at most 64 characters. Default: new at each start. */
  private String workerId;

  /** Handlers of one type that run at once. */
  private int threads = 16;

  /** Tasks of one type held beyond its free threads. */
  private int prefetch = 8;

  /** Tasks of one type that are held and do not run, from which on it asks for no more. */
  private int backlogThreshold = 1000;

  /** How long runs may go on after a stop before they are interrupted and given back. */
  private Duration shutdownGrace = Duration.ofSeconds(20);

  /**
   * Devices, and how many runs each takes at once. A name with a colon wants brackets, in YAML as
   * "[cuda:0]": 2. Default: one on "cpu".
   */
  private Map<String, Integer> slots = new LinkedHashMap<>();

  /**
   * Places on each GPU that nvidia-smi lists, each a device "cuda:…" besides those of slots; the
   * label gpu is set where there is one. Default: 0, which looks for none.
   */
  private int gpuSlots;

  /**
   * Words about this machine, for operators to see and for stages to need: "gpu", or "model" with
   * values separated by commas.
   */
  private Map<String, String> labels = new LinkedHashMap<>();

  /**
   * Handlers that go on ten seconds after their interrupt, from which on the worker says that it is
   * unhealthy.
   */
  private int stuckThreshold = 1;

  /**
   * Where reports wait that could not be delivered, for a restart of the worker too; "none" for
   * memory alone. Default: .asyncflow/spool in the user's home.
   */
  private String spoolDir;

  WorkerSettings toSettings() {
    WorkerSettings defaults = WorkerSettings.defaults();
    return new WorkerSettings(
        workerId == null || workerId.isBlank() ? defaults.workerId() : workerId,
        threads,
        prefetch,
        backlogThreshold,
        shutdownGrace,
        slots, // none: the builder adds what it finds
        labels,
        stuckThreshold,
        spoolDir == null || spoolDir.isBlank() ? defaults.spoolDir() : spoolPath());
  }

  private Path spoolPath() {
    return spoolDir.equalsIgnoreCase("none") ? null : Path.of(spoolDir).toAbsolutePath();
  }

  public boolean isEnabled() {
    return enabled;
  }

  public void setEnabled(boolean enabled) {
    this.enabled = enabled;
  }

  public String getUrl() {
    return url;
  }

  public void setUrl(String url) {
    this.url = url;
  }

  public String getApiKey() {
    return apiKey;
  }

  public void setApiKey(String apiKey) {
    this.apiKey = apiKey;
  }

  public String getApiKeyFile() {
    return apiKeyFile;
  }

  public void setApiKeyFile(String apiKeyFile) {
    this.apiKeyFile = apiKeyFile;
  }

  public String getRedisUrl() {
    return redisUrl;
  }

  public void setRedisUrl(String redisUrl) {
    this.redisUrl = redisUrl;
  }

  public String getWorkerId() {
    return workerId;
  }

  public void setWorkerId(String workerId) {
    this.workerId = workerId;
  }

  public int getThreads() {
    return threads;
  }

  public void setThreads(int threads) {
    this.threads = threads;
  }

  public int getPrefetch() {
    return prefetch;
  }

  public void setPrefetch(int prefetch) {
    this.prefetch = prefetch;
  }

  public int getBacklogThreshold() {
    return backlogThreshold;
  }

  public void setBacklogThreshold(int backlogThreshold) {
    this.backlogThreshold = backlogThreshold;
  }

  public Duration getShutdownGrace() {
    return shutdownGrace;
  }

  public void setShutdownGrace(Duration shutdownGrace) {
    this.shutdownGrace = shutdownGrace;
  }

  public Map<String, Integer> getSlots() {
    return slots;
  }

  public void setSlots(Map<String, Integer> slots) {
    this.slots = slots;
  }

  public int getGpuSlots() {
    return gpuSlots;
  }

  public void setGpuSlots(int gpuSlots) {
    this.gpuSlots = gpuSlots;
  }

  public Map<String, String> getLabels() {
    return labels;
  }

  public void setLabels(Map<String, String> labels) {
    this.labels = labels;
  }

  public String getSpoolDir() {
    return spoolDir;
  }

  public void setSpoolDir(String spoolDir) {
    this.spoolDir = spoolDir;
  }

  public int getStuckThreshold() {
    return stuckThreshold;
  }

  public void setStuckThreshold(int stuckThreshold) {
    this.stuckThreshold = stuckThreshold;
  }
}
