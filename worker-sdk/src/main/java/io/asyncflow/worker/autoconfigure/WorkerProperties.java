package io.asyncflow.worker.autoconfigure;

import io.asyncflow.worker.WorkerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** The settings of this application's worker. */
@ConfigurationProperties("asyncflow.worker")
public class WorkerProperties {

  /** Whether this application runs a worker. */
  private boolean enabled = true;

  /** The URL of flowsvr. Default: the environment's FLOW_URL, or http://127.0.0.1:8081. */
  private String url;

  /**
   * The key, sent to flowsvr as a bearer token. Default: the environment's FLOW_API_KEY, or none.
   */
  private String apiKey;

  /**
   * A file that contains the key, instead of api-key. Default: the environment's FLOW_API_KEY_FILE,
   * or none.
   */
  private String apiKeyFile;

  /**
   * A PEM file with the certificate authorities to trust instead of Java's. Default: the
   * environment's FLOW_CA, or none.
   */
  private String caFile;

  /**
   * A Redis for a lock with which the workers of a type hold one after another. It may be down at
   * any time. Default: the environment's FLOW_REDIS_URL, or none.
   */
  private String redisUrl;

  /**
   * The class of a codec that seals and opens texts and objects, such as
   * io.asyncflow.seal.TinkCodec; it has a constructor without parameters. A PayloadCodec bean may
   * take its place. Default: none.
   */
  private String codec;

  /** The id of this process, at most 64 characters. Default: new at each start. */
  private String workerId;

  /** The maximum number of concurrent handlers of one type. */
  private int threads = 16;

  /** The number of tasks of one type held beyond its free threads. */
  private int prefetch = 8;

  /**
   * The number of held tasks of one type that do not run from which on the worker asks for no more.
   */
  private int backlogThreshold = 1000;

  /** How long runs may continue after a stop before they are interrupted and released. */
  private Duration shutdownGrace = Duration.ofSeconds(20);

  /**
   * The number of places by device name. A name with a colon needs brackets, in YAML "[cuda:0]": 2.
   * Default: one on "cpu".
   */
  private Map<String, Integer> slots = new LinkedHashMap<>();

  /**
   * The number of places on each GPU that nvidia-smi lists. Each GPU is a device "cuda:…" besides
   * those of slots, and sets the label gpu. Default: 0, which detects no GPUs.
   */
  private int gpuSlots;

  /**
   * Labels of this machine, shown to operators and matched with the labels that stages require:
   * "gpu", or "model" with values separated by commas.
   */
  private Map<String, String> labels = new LinkedHashMap<>();

  /**
   * The number of handlers still running ten seconds after their interrupt from which on the worker
   * is unhealthy.
   */
  private int stuckThreshold = 1;

  /**
   * The version of this program, which rises with each release: a task type may ask for a lowest
   * one. Default: 0, the oldest.
   */
  private int version;

  /**
   * The directory for undelivered reports, which also survive a restart of the worker; "none" to
   * keep them in memory only. Default: .asyncflow/spool in the user's home.
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
        slots, // without GPUs, which the builder adds
        labels,
        stuckThreshold,
        version,
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

  public String getCaFile() {
    return caFile;
  }

  public void setCaFile(String caFile) {
    this.caFile = caFile;
  }

  public String getRedisUrl() {
    return redisUrl;
  }

  public void setRedisUrl(String redisUrl) {
    this.redisUrl = redisUrl;
  }

  public String getCodec() {
    return codec;
  }

  public void setCodec(String codec) {
    this.codec = codec;
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

  public int getVersion() {
    return version;
  }

  public void setVersion(int version) {
    this.version = version;
  }

  public int getStuckThreshold() {
    return stuckThreshold;
  }

  public void setStuckThreshold(int stuckThreshold) {
    this.stuckThreshold = stuckThreshold;
  }
}
