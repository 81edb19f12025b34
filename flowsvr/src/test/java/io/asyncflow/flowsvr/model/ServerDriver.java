package io.asyncflow.flowsvr.model;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.util.ReflectionTestUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Carries out commands over HTTP, and what no endpoint does through the beans of the server.
 *
 * <p>Its types, users and workers are its own, so that any number of sequences can run on one
 * server.
 */
final class ServerDriver extends ClientDriver {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Wire wire;
  private final ApplicationContext server;

  ServerDriver(HttpFlowClient client, Wire wire, ApplicationContext server, String sequence) {
    super(client, new ServerNames(sequence, StoppedClock.nowMs()));
    this.wire = wire;
    this.server = server;
  }

  /** Sweeps pass over a type without a configuration. */
  @Override
  public void close() {
    JdbcClient jdbc = server.getBean(JdbcClient.class);
    names
        .typesUsed()
        .forEach(t -> jdbc.sql("DELETE FROM t_schedule_cfg WHERE task_type = ?").param(t).update());
  }

  @Override
  public Answer addTable(Command.AddTable command) {
    TaskFamilies families = server.getBean(TaskFamilies.class);
    TaskType type = new TaskType(names.type(command.type()));
    return done(() -> families.advance(families.of(type).end()));
  }

  @Override
  public Answer report(Command.Report command) {
    return answer(
        () -> {
          Wire.Answer answer =
              wire.post("/api/task/set_task", JSON.writeValueAsString(toServer(command)));
          if (answer.code() != 0) {
            return refused(answer);
          }
          String verdict = answer.result().path("outcome").asString();
          List<String> created =
              answer.result().path("created").valueStream().map(JsonNode::asString).toList();
          return new Answer.Reported(List.of(outcome(command, verdict, created)));
        });
  }

  @Override
  public Answer oldUpdate(Command.OldUpdate command) {
    Map<String, Object> sent = new LinkedHashMap<>();
    sent.put("task_id", names.id(command.task()));
    sent.put("status", command.status());
    sent.put("task_stage", command.stage());
    sent.put("task_context", command.context());
    sent.put("priority", command.priority());
    sent.put("order_time", names.toServerTime(command.orderTime()));
    sent.put("crt_retry_num", command.crtRetryNum());
    sent.put("max_retry_num", command.maxRetryNum());
    sent.put("max_retry_interval", command.maxRetryInterval());
    sent.put("schedule_log", command.scheduleLog());
    sent.put("user_id", names.user(command.user()));
    return post("/api/task/set_task", sent);
  }

  @Override
  public Answer forceStatus(Command.ForceStatus command) {
    return post(
        "/api/task/setStatus",
        Map.of("taskId", names.id(command.task()), "status", command.status(), "reason", "a test"));
  }

  @Override
  public Answer sweep(Command.Sweep command) {
    // Its class is governance's own affair, and a sweep at a moment of one's choice is a test's.
    Object sweep = server.getBean("expiredLeaseSweep");
    return done(() -> ReflectionTestUtils.invokeMethod(sweep, "runOnce"));
  }

  @Override
  public Answer passTime(Command.PassTime command) {
    return done(
        () -> {
          StoppedClock.advance(command.ms());
          // The server counts on its own clock for how long nothing is due, and that one goes on.
          for (TaskTypeConfig type : server.getBean(TaskTypes.class).all()) {
            server.publishEvent(new TasksWaiting(type.type()));
          }
        });
  }

  private Answer post(String path, Map<String, Object> fields) {
    return answer(
        () -> {
          Wire.Answer answer = wire.post(path, JSON.writeValueAsString(fields));
          return answer.code() == 0 ? new Answer.Done() : refused(answer);
        });
  }

  private static Answer refused(Wire.Answer answer) {
    return Answer.refused(answer.code());
  }
}
