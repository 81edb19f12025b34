package io.asyncflow.flowsvr.task.number;

/**
 * Published when this server writes after a write that failed, or after an outage of all servers:
 * what could not be written may be tried at once.
 */
public record WritesWorkAgain() {}
