/**
 * What {@code idx_claim (status, task_stage, lane, order_time)} tells of tasks, at an index access
 * or two a question, however many tasks there are. {@code due} asks it for claims, {@code
 * governance}, {@code stats} and {@code search} for people.
 *
 * <p>A {@code Source} is one contiguous part of the index, in the order of due times. {@code
 * TaskIndexStore} finds the next source and counts in ranges; {@code SourceWalk} goes from source
 * to source through many tables.
 */
package io.asyncflow.flowsvr.task.index;
