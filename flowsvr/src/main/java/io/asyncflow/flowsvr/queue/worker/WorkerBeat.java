package io.asyncflow.flowsvr.queue.worker;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.queue.worker.WorkerStageStore.Served;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.HoldFields;
import io.asyncflow.rules.field.TaskLimits;
import java.util.HashSet;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The data of a worker in a heartbeat.
 *
 * @param startId identifies the start of the worker; empty if the worker sends none
 * @param description JSON: stages, labels, free threads and slots, states of its machines
 * @param heldTasks the number of tasks that it holds
 * @param stages the stages that it serves; {@code null} if the beat does not say
 */
record WorkerBeat(
    String workerId,
    String startId,
    String host,
    String sdkVersion,
    String description,
    int heldTasks,
    Set<Served> stages) {

  /** Reads {@code startId} and {@code worker}, which older workers do not send. */
  static WorkerBeat read(String workerId, int heldTasks, Fields in) {
    Fields worker = in.object("worker");
    String host = HoldFields.host(worker);
    String version = HoldFields.sdkVersion(worker);
    HoldFields.refuseLargeWorker(in, worker);
    ObjectNode description = worker.json();
    if (description.hasNonNull("stages") && !description.get("stages").isArray()) {
      worker.refuse("stages", "must be a list of texts such as lark/sendmsg");
    }
    description.remove("host");
    description.remove("sdkVersion");
    return new WorkerBeat(
        workerId,
        HoldFields.startId(in),
        host,
        version,
        description.toString(),
        heldTasks,
        WorkerView.hasStopped(description) ? Set.of() : stages(description.get("stages")));
  }

  /** The beat of a caller, which serves no stages beyond its scope. */
  WorkerBeat by(Caller caller) {
    if (!caller.isScoped() || stages == null) {
      return this;
    }
    Set<Served> reached =
        stages.stream()
            .filter(one -> caller.seesType(one.type().name()))
            .filter(one -> caller.stages().contains(one.stage()))
            .collect(toSet());
    return new WorkerBeat(workerId, startId, host, sdkVersion, description, heldTasks, reached);
  }

  /** Reads the list of {@code type/stage}; what is no stage of a type is only shown. */
  private static Set<Served> stages(JsonNode list) {
    if (list == null || !list.isArray()) {
      return null;
    }
    Set<Served> stages = new HashSet<>();
    for (JsonNode item : list) {
      String[] parts = item.asString("").split("/", 2);
      TaskType type = TaskType.parse(parts[0]).orElse(null);
      if (type != null && parts.length == 2 && isStage(parts[1])) {
        stages.add(new Served(type, parts[1]));
      }
    }
    return stages;
  }

  private static boolean isStage(String text) {
    return !text.isEmpty() && text.codePointCount(0, text.length()) <= TaskLimits.STAGE;
  }
}
