package io.asyncflow.flowsvr.lease;

import io.asyncflow.api.TaskStatus;

/**
 * As much of a row as a heartbeat asks for: who holds the task and until when.
 *
 * @param workerId the last holder
 * @param leaseEnd epoch ms
 * @param now the database's epoch ms when the row was read
 */
record HeldRow(
    long number, TaskStatus status, String workerId, int leaseEpoch, long leaseEnd, long now) {}
