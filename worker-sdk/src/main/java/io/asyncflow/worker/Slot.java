package io.asyncflow.worker;

/**
 * A place on a scarce device, lent to one run at a time.
 *
 * @param device its name as configured, as {@code cpu} or {@code cuda:0}
 * @param index which of the device's places, from 0
 */
public record Slot(String device, int index) {}
