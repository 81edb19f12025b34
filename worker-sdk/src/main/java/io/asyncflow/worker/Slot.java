package io.asyncflow.worker;

/**
 * Places on one scarce device, lent to one run at a time.
 *
 * @param device its name as configured, as {@code cpu} or {@code cuda:0}
 * @param index the first of its places that are lent, from 0
 * @param places how many are lent, as many as the stage needs
 */
public record Slot(String device, int index, int places) {

  /** A single place. */
  public Slot(String device, int index) {
    this(device, index, 1);
  }
}
