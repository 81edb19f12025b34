package io.asyncflow.worker;

/**
 * Places on one scarce device, assigned to one run at a time.
 *
 * @param device the configured name, such as {@code cpu} or {@code cuda:0}
 * @param index the index of the first assigned place, from 0
 * @param places the number of assigned places, as the stage needs
 */
public record Slot(String device, int index, int places) {

  /** A single place. */
  public Slot(String device, int index) {
    this(device, index, 1);
  }
}
