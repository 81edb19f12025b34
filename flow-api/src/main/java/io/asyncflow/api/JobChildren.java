package io.asyncflow.api;

import java.util.List;

/**
 * A page of the children that a split creates, in their order.
 *
 * @param taskId the task that splits the job
 * @param workerId the worker that holds it
 * @param leaseEpoch the epoch of that hold; a newer hold starts over with the first child
 * @param first the index of the first child of the page, from 0
 * @param children 1 to 1,000
 */
public record JobChildren(
    String taskId, String workerId, Integer leaseEpoch, Integer first, List<JobChild> children) {}
