/**
 * The families of task tables: which tables a type has, and how they are created, drained and
 * dropped.
 *
 * <p>A type's tasks are in {@code t_{type}_task_{n}}. A row never moves to another table, so a
 * task's id can name its table. {@code t_schedule_pos} has the tables in use:
 *
 * <pre>
 *      1      2      3      4      5
 *   [gone] [done] [ .. ] [ .. ] [ .. ]  <- creates
 *          first  begin         end
 *          readable -----------------
 *                 live --------------
 * </pre>
 *
 * <p>A table is created before a position moves to it, so no position ever names a missing table.
 * The positions only increase (but see {@link
 * io.asyncflow.flowsvr.task.table.upkeep.TableDrain#takeBackLost}) and are moved by
 * compare-and-set, so of two servers only one succeeds.
 */
package io.asyncflow.flowsvr.task.table;
