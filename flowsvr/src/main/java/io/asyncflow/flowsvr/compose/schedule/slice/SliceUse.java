package io.asyncflow.flowsvr.compose.schedule.slice;

import java.util.List;

/**
 * Slices in use until this is closed; see {@link SliceLeases#use}. For one thread.
 *
 * @param slices by number
 * @param end ends the use
 */
public record SliceUse(List<OwnedSlice> slices, Runnable end) implements AutoCloseable {

  @Override
  public void close() {
    end.run();
  }
}
