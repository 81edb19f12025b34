package io.asyncflow.flowsvr.task;

import io.asyncflow.flowsvr.tasktype.TaskType;

/**
 * News, published after commit: tasks of this type are waiting that were not before. They may be
 * due now or later.
 */
public record TasksWaiting(TaskType type) {}
