package io.asyncflow.api;

import io.asyncflow.api.table.TableClient;
import io.asyncflow.api.table.TaskTable;
import java.util.List;

/** The calls about the tables of a type, over HTTP. */
final class HttpTableClient implements TableClient {

  private static final Answer<List<TaskTable>> TABLES = Answer.of(Tables.class, Tables::tables);
  private static final Answer<String> ROLLED = Answer.of(Rolled.class, Rolled::table);

  private final HttpTransport http;

  HttpTableClient(HttpTransport http) {
    this.http = http;
  }

  private record OfType(String taskType) {}

  private record Roll(String taskType, String operator, String reason) {}

  private record Clean(String taskType, String table, String operator, String reason) {}

  private record Tables(List<TaskTable> tables) {}

  private record Rolled(String table) {}

  @Override
  public List<TaskTable> list(String taskType) {
    OfType call = new OfType(taskType);
    return http.post("/api/task_schedule_cfg/tables", call, TABLES);
  }

  @Override
  public String roll(String taskType, String operator, String reason) {
    Roll call = new Roll(taskType, operator, reason);
    return http.post("/api/task_schedule_cfg/roll", call, ROLLED);
  }

  @Override
  public void clean(String taskType, String table, String operator, String reason) {
    http.post("/api/task_schedule_cfg/clean", new Clean(taskType, table, operator, reason));
  }
}
