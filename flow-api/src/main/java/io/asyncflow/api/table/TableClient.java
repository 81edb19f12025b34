package io.asyncflow.api.table;

import io.asyncflow.api.Answer;
import io.asyncflow.api.Call;
import io.asyncflow.api.Transport;
import java.util.List;

/**
 * The calls of flowsvr's contract about the tables of a type, for operators; see {@link
 * io.asyncflow.api.FlowClient} for the exceptions. Thread-safe.
 *
 * @param transport sends the calls
 */
public record TableClient(Transport transport) {

  private static final Answer<List<TaskTable>> TABLES = Answer.of(Tables.class, Tables::tables);
  private static final Answer<String> ROLLED = Answer.of(Rolled.class, Rolled::table);

  private record Tables(List<TaskTable> tables) {}

  private record Rolled(String table) {}

  /** The tables of a type in their order, from the first that has not been dropped. */
  public List<TaskTable> list(String taskType) {
    return transport.send(
        Call.to("/api/task_schedule_cfg/tables", TABLES).with("taskType", taskType));
  }

  /**
   * Begins the next table of a type, whatever the last one has.
   *
   * @param operator recorded with the act; {@code null} for none
   * @param reason recorded with the act; {@code null} for none
   * @return the name of the new table
   */
  public String roll(String taskType, String operator, String reason) {
    return transport.send(
        Call.to("/api/task_schedule_cfg/roll", ROLLED)
            .with("taskType", taskType)
            .by(operator, reason));
  }

  /**
   * Drops the first table of a type, which must be drained, before its retention is over. If an
   * archive is configured, the table is archived first.
   *
   * @param operator recorded with the act; {@code null} for none
   * @param reason recorded with the act; {@code null} for none
   * @throws io.asyncflow.api.FlowException with {@link
   *     io.asyncflow.api.ErrorCode#TRANSITION_NOT_ALLOWED} if it is not the first, or not drained
   */
  public void clean(String taskType, String table, String operator, String reason) {
    transport.send(
        Call.to("/api/task_schedule_cfg/clean")
            .with("taskType", taskType)
            .with("table", table)
            .by(operator, reason));
  }
}
