package io.asyncflow.api.find;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.asyncflow.api.stats.BoundedCount;
import java.util.List;

/**
 * Why a task is where it is, and does not run.
 *
 * @param taskId {@code null} of a child of a job that is no task yet
 * @param status the code of a {@link io.asyncflow.api.TaskStatus}; {@code null} of such a child
 * @param headline the code of the first reason
 * @param reasons all that hold, those that keep the task from running first
 * @param ahead due tasks of its stage before it; {@code null} if it does not stand in line, or if
 *     the caller does not see the tasks of all users
 * @param checkedAt epoch milliseconds
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Why(
    String taskId,
    Integer status,
    String headline,
    List<WhyReason> reasons,
    BoundedCount ahead,
    long checkedAt) {}
