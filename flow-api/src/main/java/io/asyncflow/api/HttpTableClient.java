package io.asyncflow.api;

import com.fasterxml.jackson.databind.ObjectReader;
import io.asyncflow.api.table.TableClient;
import io.asyncflow.api.table.TaskTable;
import java.util.List;

/** The calls about the tables of a type, over the connections of an {@link HttpFlowClient}. */
final class HttpTableClient implements TableClient {

  private static final ObjectReader TABLES = HttpFlowClient.envelopeOf(Tables.class);
  private static final ObjectReader ROLLED = HttpFlowClient.envelopeOf(Rolled.class);

  private final HttpFlowClient http;

  HttpTableClient(HttpFlowClient http) {
    this.http = http;
  }

  private record OfType(String taskType) {}

  private record Roll(String taskType, String operator, String reason) {}

  private record Clean(String taskType, String table, String operator, String reason) {}

  record Tables(List<TaskTable> tables) {}

  record Rolled(String table) {}

  @Override
  public List<TaskTable> list(String taskType) {
    OfType call = new OfType(taskType);
    return http.<Tables>post("/api/task_schedule_cfg/tables", call, TABLES).tables();
  }

  @Override
  public String roll(String taskType, String operator, String reason) {
    Roll call = new Roll(taskType, operator, reason);
    return http.<Rolled>post("/api/task_schedule_cfg/roll", call, ROLLED).table();
  }

  @Override
  public void clean(String taskType, String table, String operator, String reason) {
    http.postWithoutResult(
        "/api/task_schedule_cfg/clean", new Clean(taskType, table, operator, reason));
  }
}
