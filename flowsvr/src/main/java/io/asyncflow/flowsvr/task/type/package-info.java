/** Task types and their configuration, {@code t_schedule_cfg}. */
package io.asyncflow.flowsvr.task.type;
