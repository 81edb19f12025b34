/**
 * The families of task tables: which tables a type has, and how they come to be.
 *
 * <p>A type's tasks lie in {@code t_{type}_task_{n}}. A row never changes its table, so a task's id
 * names its table for ever. {@code t_schedule_pos} says which tables are in use:
 *
 * <pre>
 *      1      2      3      4      5
 *   [gone] [done] [ .. ] [ .. ] [ .. ]  <- creates
 *          first  begin         end
 *          readable -----------------
 *                 live --------------
 * </pre>
 *
 * <p>Tables are made before the position moves to them, so nobody is ever sent to a missing one.
 * All three positions only rise and are moved by compare-and-set, so of two servers that do so one
 * wins.
 */
package io.asyncflow.flowsvr.tasktable;
