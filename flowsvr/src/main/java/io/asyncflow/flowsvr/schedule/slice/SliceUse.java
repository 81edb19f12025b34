package io.asyncflow.flowsvr.schedule.slice;

import java.util.List;

/** Slices in use until this is closed; see {@link SliceLeases#use}. For one thread. */
public final class SliceUse implements AutoCloseable {

  private final List<OwnedSlice> slices;
  private Runnable end;

  SliceUse(List<OwnedSlice> slices, Runnable end) {
    this.slices = slices;
    this.end = end;
  }

  /** The slices, by number. */
  public List<OwnedSlice> slices() {
    return slices;
  }

  /** Ends the use; does nothing when repeated. */
  @Override
  public void close() {
    Runnable once = end;
    end = () -> {};
    once.run();
  }
}
