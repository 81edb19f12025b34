package io.asyncflow.worker;

import io.asyncflow.rules.field.NamesField;
import io.asyncflow.worker.internal.WorkerIds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The settings of a worker. An invalid value causes an {@link InvalidSettingException}.
 *
 * @param workerId the id of this process, at most 64 characters; by default new at each start
 * @param threads the maximum number of concurrent handlers of one type, 16 by default
 * @param prefetch the number of tasks of one type held beyond its free threads, 8 by default
 * @param backlogThreshold the number of held tasks of one type that do not run (queued, or with an
 *     undelivered report) from which on the worker asks for no more; 1,000 by default
 * @param shutdownGrace how long runs may go on after a stop, 20 s by default
 * @param outagePatience how long runs go on beyond their leases while flowsvr says that its
 *     database can write nothing, 5 min by default; never beyond the hard end of the attempt
 * @param slots the number of places by device name, shared by all types; one on {@code cpu} by
 *     default
 * @param labels labels of the machine, shown to operators and matched with the labels that stages
 *     require; none by default
 * @param stuckThreshold the number of handlers still running ten seconds after their interrupt from
 *     which on the worker is unhealthy: each occupies its thread and its slot; 1 by default
 * @param version the version of this program, which rises with each release: a type may ask for a
 *     lowest one. 0 by default, which is the oldest
 * @param spoolDir the directory for undelivered reports, which also survive a restart of the
 *     worker; {@code null} to keep them in memory only. By default {@code .asyncflow/spool} in the
 *     user's home, or in the working directory if there is no writable home
 */
public record WorkerSettings(
    String workerId,
    int threads,
    int prefetch,
    int backlogThreshold,
    Duration shutdownGrace,
    Duration outagePatience,
    Map<String, Integer> slots,
    Map<String, String> labels,
    int stuckThreshold,
    int version,
    Path spoolDir) {

  private static final int LONGEST_ID = 64;

  public WorkerSettings {
    Objects.requireNonNull(workerId, "workerId");
    Objects.requireNonNull(shutdownGrace, "shutdownGrace");
    Objects.requireNonNull(outagePatience, "outagePatience");
    require(
        NamesField.isName(workerId) && workerId.codePointCount(0, workerId.length()) <= LONGEST_ID,
        "workerId",
        "1 to 64 characters, without control characters and white space around");
    require(threads >= 1, "threads", "at least 1");
    require(prefetch >= 0, "prefetch", "at least 0");
    require(backlogThreshold >= 1, "backlogThreshold", "at least 1");
    require(!shutdownGrace.isNegative(), "shutdownGrace", "0 or longer");
    require(!outagePatience.isNegative(), "outagePatience", "0 or longer");
    slots = Collections.unmodifiableMap(new LinkedHashMap<>(slots));
    labels = Collections.unmodifiableMap(new LinkedHashMap<>(labels));
    require(stuckThreshold >= 1, "stuckThreshold", "at least 1");
    require(version >= 0, "version", "at least 0");
    slots.forEach((device, places) -> require(places >= 1, "slots", "at least 1 on " + device));
  }

  /** All defaults, and a new worker id. */
  public static WorkerSettings defaults() {
    return new WorkerSettings(
        WorkerIds.next(),
        16,
        8,
        1000,
        Duration.ofSeconds(20),
        Duration.ofMinutes(5),
        Map.of("cpu", 1),
        Map.of(),
        1,
        0,
        defaultSpoolDir());
  }

  static Path defaultSpoolDir() {
    Path home = Path.of(System.getProperty("user.home", ""));
    boolean usable = home.isAbsolute() && Files.isWritable(home);
    return (usable ? home : Path.of("")).resolve(".asyncflow").resolve("spool").toAbsolutePath();
  }

  private static void require(boolean holds, String setting, String requirement) {
    if (!holds) {
      throw new InvalidSettingException(setting, requirement);
    }
  }
}
