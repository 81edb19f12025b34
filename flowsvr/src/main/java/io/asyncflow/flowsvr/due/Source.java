package io.asyncflow.flowsvr.due;

import io.asyncflow.rules.TaskTable;

/** The waiting tasks of one stage in one table. */
public record Source(TaskTable table, String stage) {}
