package io.asyncflow.api.table;

import java.util.List;

/**
 * The calls of flowsvr's contract about the tables of a type, for operators; see {@link
 * io.asyncflow.api.FlowClient} for the exceptions. Implementations are thread-safe.
 */
public interface TableClient {

  /** The tables of a type in their order, from the first that has not been dropped. */
  List<TaskTable> list(String taskType);

  /**
   * Begins the next table of a type, whatever the last one has.
   *
   * @param operator recorded with the act; {@code null} for none
   * @param reason recorded with the act; {@code null} for none
   * @return the name of the new table
   */
  String roll(String taskType, String operator, String reason);

  /**
   * Drops the first table of a type, which must be drained, before its retention is over. If an
   * archive is configured, the table is archived first.
   *
   * @param operator recorded with the act; {@code null} for none
   * @param reason recorded with the act; {@code null} for none
   * @throws io.asyncflow.api.FlowException with {@link
   *     io.asyncflow.api.ErrorCode#TRANSITION_NOT_ALLOWED} if it is not the first, or not drained
   */
  void clean(String taskType, String table, String operator, String reason);
}
