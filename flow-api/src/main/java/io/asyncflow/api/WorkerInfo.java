package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;

/**
 * What a worker says about itself, for operators only; the server decides nothing by it.
 *
 * @param host the name of its machine
 * @param sdkVersion the version of the worker-sdk; {@code null} if unknown
 * @param version the version of its program, as in {@link HoldRequest}; {@code null} if it has none
 * @param stages the stages it has handlers for, as {@code type/stage}
 * @param labels labels of the machine, chosen by the operator
 * @param freeThreads by type: how many more runs it can start
 * @param freeSlots by device: how many slots are free
 * @param states states by name: "worker", "health", "stuck" (handlers that ignore an interrupt),
 *     "quarantined" (slots out of use after resource failures), "spooled" (reports on disk), and
 *     "poller/" with each type
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record WorkerInfo(
    String host,
    String sdkVersion,
    Integer version,
    List<String> stages,
    Map<String, String> labels,
    Map<String, Integer> freeThreads,
    Map<String, Integer> freeSlots,
    Map<String, String> states) {}
