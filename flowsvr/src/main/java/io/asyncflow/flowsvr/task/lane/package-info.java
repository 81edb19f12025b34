/**
 * Lanes: sets of workers that tasks were made for.
 *
 * <p>A task has a lane or none ({@link io.asyncflow.rules.Lane#OPEN}). The lane is a column of
 * {@code idx_claim}, so the waiting tasks of a stage and a lane are one range of it, and a claim
 * for a worker reads the ranges of the worker's lanes beside the open one. {@code t_lane} and
 * {@code t_lane_worker} say which workers a lane has, {@code t_lane_table} which task tables may
 * have tasks in it. All three, and the mark of the type ({@code t_schedule_pos.lanes}), are
 * committed before the first task of the lane, or with it: a crash between leaves a lane without
 * tasks, never a task that no claim asks for.
 */
package io.asyncflow.flowsvr.task.lane;
