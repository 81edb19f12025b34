package io.asyncflow.flowsvr.queue.lease;

import io.asyncflow.api.TaskStatus;

/**
 * The columns of a row that a heartbeat needs: the holder and its lease.
 *
 * @param workerId the last holder
 * @param leaseEnd epoch ms
 * @param now the database's epoch ms when the row was read
 */
record HeldRow(
    long number, TaskStatus status, String workerId, int leaseEpoch, long leaseEnd, long now) {}
