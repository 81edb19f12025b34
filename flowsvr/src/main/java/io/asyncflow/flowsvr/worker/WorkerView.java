package io.asyncflow.flowsvr.worker;

import tools.jackson.databind.JsonNode;

/**
 * A worker as operators see it.
 *
 * @param state {@code alive}, {@code draining}, or {@code lost} after a while without a sign of
 *     life
 * @param description the worker's description: types, stages, labels, free slots, states
 * @param firstBeat epoch ms
 * @param lastBeat epoch ms; the time of its last beat or, roughly, of its last hold
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
