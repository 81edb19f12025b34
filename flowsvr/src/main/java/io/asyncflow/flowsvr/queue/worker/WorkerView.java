package io.asyncflow.flowsvr.queue.worker;

import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * A worker as operators see it.
 *
 * @param state {@code alive}, {@code draining}, {@code paused} by an operator, {@code stopped} if
 *     the worker said so, or {@code lost} after a while without a sign of life
 * @param description the worker's description: types, stages, labels, free slots, states
 * @param tooOldFor the types of its stages that ask for a later version of its program
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
    List<String> tooOldFor,
    long firstBeat,
    long lastBeat) {

  /** Whether a worker that describes itself so has stopped: it serves nothing any more. */
  public static boolean hasStopped(JsonNode description) {
    return description.path("states").path("worker").asString("").equals("STOPPED");
  }

  /** The same with the types for which it is too old. */
  WorkerView tooOldFor(List<String> types) {
    return new WorkerView(
        workerId, host, sdkVersion, state, heldTasks, description, types, firstBeat, lastBeat);
  }
}
