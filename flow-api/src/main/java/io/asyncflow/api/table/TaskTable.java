package io.asyncflow.api.table;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A table of the tasks of a type.
 *
 * @param table its name in the database, such as {@code t_lark_task_3}
 * @param number from 1
 * @param rows the database's estimate; {@code null} if it has none
 * @param bytes the database's estimate; {@code null} if it has none
 * @param createTime epoch milliseconds
 * @param ageSeconds since then
 * @param drainTime epoch milliseconds; {@code null} unless all its tasks are final
 * @param paused whether it has paused tasks, which keep it from draining
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TaskTable(
    String table,
    int number,
    TableState state,
    Long rows,
    Long bytes,
    long createTime,
    long ageSeconds,
    Long drainTime,
    boolean paused) {}
