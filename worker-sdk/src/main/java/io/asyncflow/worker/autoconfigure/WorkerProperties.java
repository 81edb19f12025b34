package io.asyncflow.worker.autoconfigure;

import io.asyncflow.worker.WorkerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of this application's worker.
 *
 * @param enabled Whether this application runs a worker.
 * @param url The URL of flowsvr. Default: the environment's FLOW_URL, or http://127.0.0.1:8081.
 * @param apiKey The key, sent to flowsvr as a bearer token. Default: the environment's
 *     FLOW_API_KEY, or none.
 * @param apiKeyFile A file that contains the key, instead of api-key. Default: the environment's
 *     FLOW_API_KEY_FILE, or none.
 * @param caFile A PEM file with the certificate authorities to trust instead of Java's. Default:
 *     the environment's FLOW_CA, or none.
 * @param redisUrl A Redis for a lock with which the workers of a type hold one after another. It
 *     may be down at any time. Default: the environment's FLOW_REDIS_URL, or none.
 * @param codec The class of a codec that seals and opens texts and objects, such as
 *     io.asyncflow.seal.TinkCodec; it has a constructor without parameters. A PayloadCodec bean may
 *     take its place. Default: none.
 * @param workerId The id of this process, at most 64 characters. Default: new at each start.
 * @param threads The maximum number of concurrent handlers of one type.
 * @param prefetch The number of tasks of one type held beyond its free threads.
 * @param backlogThreshold The number of held tasks of one type that do not run from which on the
 *     worker asks for no more.
 * @param shutdownGrace How long runs may continue after a stop before they are interrupted and
 *     released.
 * @param outagePatience How long runs continue beyond their leases while flowsvr says that its
 *     database can write nothing; never beyond the hard end of the attempt.
 * @param slots The number of places by device name. A name with a colon needs brackets, in YAML
 *     "[cuda:0]": 2. Default: one on "cpu".
 * @param gpuSlots The number of places on each GPU that nvidia-smi lists. Each GPU is a device
 *     "cuda:…" besides those of slots, and sets the label gpu. Default: 0, which detects no GPUs.
 * @param labels Labels of this machine, shown to operators and matched with the labels that stages
 *     require: "gpu", or "model" with values separated by commas.
 * @param stuckThreshold The number of handlers still running ten seconds after their interrupt from
 *     which on the worker is unhealthy.
 * @param version The version of this program, which rises with each release: a task type may ask
 *     for a lowest one. Default: 0, the oldest.
 * @param spoolDir The directory for undelivered reports, which also survive a restart of the
 *     worker; "none" to keep them in memory only. Default: .asyncflow/spool in the user's home.
 */
@ConfigurationProperties("asyncflow.worker")
public record WorkerProperties(
    @DefaultValue("true") boolean enabled,
    String url,
    String apiKey,
    String apiKeyFile,
    String caFile,
    String redisUrl,
    String codec,
    String workerId,
    @DefaultValue("16") int threads,
    @DefaultValue("8") int prefetch,
    @DefaultValue("1000") int backlogThreshold,
    @DefaultValue("20s") Duration shutdownGrace,
    @DefaultValue("5m") Duration outagePatience,
    Map<String, Integer> slots,
    int gpuSlots,
    Map<String, String> labels,
    @DefaultValue("1") int stuckThreshold,
    int version,
    String spoolDir) {

  public WorkerProperties {
    slots = slots == null ? Map.of() : slots;
    labels = labels == null ? Map.of() : labels;
  }

  WorkerSettings toSettings() {
    WorkerSettings defaults = WorkerSettings.defaults();
    return new WorkerSettings(
        workerId == null || workerId.isBlank() ? defaults.workerId() : workerId,
        threads,
        prefetch,
        backlogThreshold,
        shutdownGrace,
        outagePatience,
        slots, // without GPUs, which the builder adds
        labels,
        stuckThreshold,
        version,
        spoolDir == null || spoolDir.isBlank() ? defaults.spoolDir() : spoolPath());
  }

  private Path spoolPath() {
    return spoolDir.equalsIgnoreCase("none") ? null : Path.of(spoolDir).toAbsolutePath();
  }

  /** Without the key, and without passwords in URLs. */
  @Override
  public String toString() {
    return "WorkerProperties";
  }
}
