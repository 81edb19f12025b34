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
 * @param withheld stages that it has handlers for and does not ask for; {@code null} for none
 * @param models the models of its stages, by {@code type/stage}; {@code null} for none
 * @param loaded the models that are loaded on its slots; {@code null} for none
 * @param queued the ids of tasks that it holds and has not begun, some of them if there are many;
 *     {@code null} for none
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
    Map<String, String> states,
    List<Withheld> withheld,
    Map<String, String> models,
    List<String> loaded,
    List<String> queued) {

  /**
   * A stage that a worker has a handler for, and does not ask for.
   *
   * @param stage as {@code type/stage}
   * @param requires the labels that the worker lacks
   */
  public record Withheld(String stage, List<String> requires) {}
}
