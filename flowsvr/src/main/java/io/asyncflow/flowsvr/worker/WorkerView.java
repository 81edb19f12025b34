package io.asyncflow.flowsvr.worker;

import tools.jackson.databind.JsonNode;

/**
 * A worker as operators see it.
 *
 * @param state {@code alive}, {@code draining}, or {@code lost} when it gave no sign of life for a
 *     while
 * @param description what it says of itself: types, stages, labels, free slots, states
 * @param firstBeat epoch ms
 * @param lastBeat epoch ms; of its last beat or, roughly, its last hold
 */
public record WorkerView(
    String workerId,
    String host,
    String sdkVersion,
    String state,
    int heldTasks,
    JsonNode description,
    long firstBeat,
    long lastBeat) {}
