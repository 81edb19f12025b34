package io.asyncflow.api.worker;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;

/**
 * A worker as operators see it. The server decides nothing by it.
 *
 * @param host the name of its machine
 * @param sdkVersion {@code null} if the worker did not tell
 * @param state {@code alive}, {@code draining}, {@code paused}, or {@code lost} after a while
 *     without a sign of life
 * @param description what the worker says of itself: stages, labels, free threads, states
 * @param tooOldFor the types among its stages that ask for a later version of its program
 * @param firstBeat epoch milliseconds
 * @param lastBeat epoch milliseconds of its last sign of life
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Worker(
    String workerId,
    String host,
    String sdkVersion,
    String state,
    int heldTasks,
    Map<String, Object> description,
    List<String> tooOldFor,
    long firstBeat,
    long lastBeat) {}
