package io.asyncflow.worker.engine;

import io.asyncflow.worker.Slot;

/** What a process on a slot may see of the machine's GPUs. */
final class CudaDevices {

  private static final String PREFIX = "cuda:";

  private CudaDevices() {}

  /**
   * The value of {@code CUDA_VISIBLE_DEVICES}: the slot's own device, which the process knows as
   * its first; none on any other kind of device.
   */
  static String visibleTo(Slot slot) {
    return slot.device().startsWith(PREFIX) ? slot.device().substring(PREFIX.length()) : "";
  }
}
