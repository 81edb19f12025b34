package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;

/**
 * What a worker says of itself, for operators to see; nothing is decided by it.
 *
 * @param host the machine's name
 * @param sdkVersion version of the worker-sdk; {@code null} if nobody knows
 * @param stages what it has handlers for, as {@code type/stage}
 * @param labels free words about the machine
 * @param freeThreads by type: how many runs it could start
 * @param freeSlots by device: how many slots are free
 * @param states by machine: "worker", "health", "stuck" (handlers that heed no interrupt),
 *     "quarantined" (places on devices that are not used for want of resources), "spooled" (reports
 *     on disk), and "poller/" with each type
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record WorkerInfo(
    String host,
    String sdkVersion,
    List<String> stages,
    Map<String, String> labels,
    Map<String, Integer> freeThreads,
    Map<String, Integer> freeSlots,
    Map<String, String> states) {}
