package io.asyncflow.flowsvr.compose.schedule.slice;

/**
 * A slice that this server owns.
 *
 * @param slice 0 to 63
 * @param epoch of its owner; rises with every change of the owner
 */
public record OwnedSlice(int slice, long epoch) {}
