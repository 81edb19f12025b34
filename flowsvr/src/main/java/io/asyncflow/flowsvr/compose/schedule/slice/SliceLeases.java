package io.asyncflow.flowsvr.compose.schedule.slice;

/**
 * The slices whose schedules this server fires. Thread-safe.
 *
 * <p>Ownership saves work and is not needed for safety: a write to a schedule must be right even if
 * the slice has another owner by then.
 */
public interface SliceLeases {

  /**
   * The slices that this server certainly owns now, by number, for the time of a batch of fires;
   * none if it owns none or cannot be sure. Until it is closed, none of its slices is handed over
   * to another server; a slice that shall be handed over is not part of a later use.
   *
   * <pre>{@code
   * try (SliceUse use = slices.use()) {
   *   fire(use.slices());
   * }
   * }</pre>
   */
  SliceUse use();
}
