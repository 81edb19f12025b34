package io.asyncflow.flowsvr.model;

/**
 * Everything that the contract lets a client see of a task, comparable between drivers: labels in
 * place of ids, times in milliseconds since the sequence began. {@code modifyTime} is not among it,
 * since the contract does not say which changes count.
 *
 * @param table n of the task's id
 * @param scheduleLog see {@link EndedHold}
 * @param leaseMs {@code null} unless executing
 * @param trace the label of the last hold
 */
record TaskView(
    String task,
    int table,
    String type,
    String user,
    String stage,
    int status,
    int priority,
    long orderTime,
    int crtRetryNum,
    int maxRetryNum,
    int maxRetryInterval,
    Integer unexpectedNum,
    Integer maxUnexpectedRetries,
    String scheduleLog,
    String context,
    long createTime,
    int epoch,
    Long leaseMs,
    String worker,
    int deliveryCount,
    String trace,
    Integer progress,
    String result) {}
