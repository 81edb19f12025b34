package io.asyncflow.api.schedule;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * What a trigger created: a task or a job.
 *
 * @param taskId {@code null} for a job
 * @param jobId {@code null} for a task
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TriggeredRun(String taskId, String jobId) {}
