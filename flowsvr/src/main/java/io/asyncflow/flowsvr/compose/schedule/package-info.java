/**
 * Schedules: tasks and jobs that come back. This package takes the calls; {@code core} has the
 * rows, {@code fire} makes the fires, {@code slice} shares the schedules between servers, {@code
 * upkeep} has the duties.
 *
 * <p>A fire happens once because one transaction writes the task, the fire's row and the schedule:
 * the row's fence only rises, and (schedule, fire time) is a primary key. The next fire time
 * follows from the last one, never from a clock, so a server that comes late finds what is missing.
 * Fires are made 30 seconds ahead where nothing that happens meanwhile can change them, so the
 * death of a server makes none late.
 */
package io.asyncflow.flowsvr.compose.schedule;
