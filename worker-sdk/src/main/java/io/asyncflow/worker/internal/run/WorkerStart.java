package io.asyncflow.worker.internal.run;

import io.asyncflow.worker.WorkerSettings;
import java.util.UUID;

/**
 * A start of a worker. Its holds and heartbeats name it, so that the drain of one start does not
 * apply to a later start with the same worker id.
 *
 * @param startId unique for this start; {@code null} if it is not named
 * @param version of the worker's program; {@code null} for none
 */
public record WorkerStart(String workerId, String startId, Integer version) {

  /** A new start. */
  public static WorkerStart of(WorkerSettings settings) {
    Integer version = settings.version() == 0 ? null : (Integer) settings.version();
    return new WorkerStart(settings.workerId(), UUID.randomUUID().toString(), version);
  }
}
