package io.asyncflow.flowsvr.worker;

import io.asyncflow.flowsvr.task.TaskLimits;
import io.asyncflow.flowsvr.web.read.Fields;
import tools.jackson.databind.node.ObjectNode;

/**
 * The data of a worker in a heartbeat.
 *
 * @param startId identifies the start of the worker; empty if the worker sends none
 * @param description JSON: stages, labels, free threads and slots, states of its machines
 * @param heldTasks the number of tasks that it holds
 */
record WorkerBeat(
    String workerId,
    String startId,
    String host,
    String sdkVersion,
    String description,
    int heldTasks) {

  private static final int HOST = 255;
  private static final int VERSION = 64;
  private static final int DESCRIPTION = 16_384;

  /** Reads {@code startId} and {@code worker}, which older workers do not send. */
  static WorkerBeat read(String workerId, int heldTasks, Fields in) {
    Fields worker = in.object("worker");
    String host = worker.text("host").max(HOST).value();
    String version = worker.text("sdkVersion").max(VERSION).value();
    ObjectNode description = worker.json(DESCRIPTION);
    description.remove("host");
    description.remove("sdkVersion");
    return new WorkerBeat(
        workerId,
        in.text("startId").name().max(TaskLimits.WORKER_ID).or(""),
        host == null ? "" : host,
        version == null ? "" : version,
        description.toString(),
        heldTasks);
  }
}
