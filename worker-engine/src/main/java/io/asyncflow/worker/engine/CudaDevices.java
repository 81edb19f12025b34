package io.asyncflow.worker.engine;

import io.asyncflow.worker.Slot;

/** The GPUs that a process on a slot may see. */
final class CudaDevices {

  private static final String PREFIX = "cuda:";

  private CudaDevices() {}

  /**
   * The value of {@code CUDA_VISIBLE_DEVICES}: the slot's device, which is the first one for the
   * process; empty on other kinds of devices.
   */
  static String visibleTo(Slot slot) {
    return slot.device().startsWith(PREFIX) ? slot.device().substring(PREFIX.length()) : "";
  }
}
