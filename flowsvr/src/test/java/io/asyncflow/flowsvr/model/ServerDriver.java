package io.asyncflow.flowsvr.model;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.HeartbeatAnswer.LeaseState;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPage;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktype.TaskType;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.flowsvr.wire.Wire;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.util.ReflectionTestUtils;
import tools.jackson.databind.json.JsonMapper;

/**
 * Carries out commands over HTTP, and what no endpoint does through the beans of the server.
 *
 * <p>Its types, users and workers are its own, so that any number of sequences can run on one
 * server.
 */
final class ServerDriver implements Driver {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static final int MAX_PAGES = 1_000;

  private final HttpFlowClient client;
  private final Wire wire;
  private final ApplicationContext server;
  private final ServerNames names;

  ServerDriver(HttpFlowClient client, Wire wire, ApplicationContext server, String sequence) {
    this.client = client;
    this.wire = wire;
    this.server = server;
    this.names = new ServerNames(sequence, StoppedClock.nowMs());
  }

  /** Sweeps pass over a type without a configuration. */
  @Override
  public void close() {
    JdbcClient jdbc = server.getBean(JdbcClient.class);
    names
        .typesUsed()
        .forEach(t -> jdbc.sql("DELETE FROM t_schedule_cfg WHERE task_type = ?").param(t).update());
  }

  // ---- types and tasks

  @Override
  public Answer saveType(Command.SaveType command) {
    return done(() -> client.saveTaskType(names.toServer(command.settings())));
  }

  @Override
  public Answer addTable(Command.AddTable command) {
    TaskFamilies families = server.getBean(TaskFamilies.class);
    TaskType type = new TaskType(names.type(command.type()));
    return done(() -> families.advance(families.of(type).end()));
  }

  @Override
  public Answer create(Command.Create command) {
    return answer(
        () -> {
          String id = client.createTask(names.toServer(command.task()));
          return new Answer.Created(List.of(created(command, id)));
        });
  }

  @Override
  public Answer createBatch(Command.CreateBatch command) {
    return answer(
        () -> {
          List<NewTask> tasks =
              command.tasks().stream().map(create -> names.toServer(create.task())).toList();
          List<String> ids = client.createTasks(tasks);
          List<String> created = new ArrayList<>();
          for (int i = 0; i < ids.size(); i++) {
            created.add(created(command.tasks().get(i), ids.get(i)));
          }
          return new Answer.Created(created);
        });
  }

  private String created(Command.Create command, String id) {
    return names.created(command.label(), id) + "@" + ServerNames.tableOf(id);
  }

  @Override
  public Answer getTask(Command.GetTask command) {
    return answer(() -> new Answer.Found(seen(client.getTask(names.id(command.task())))));
  }

  @Override
  public Answer listTasks(Command.ListTasks command) {
    TaskPageRequest request = request(command.statuses(), command.pageSize());
    return pages(request, page -> client.getTaskList(names.type(command.type()), page));
  }

  @Override
  public Answer listUserTasks(Command.ListUserTasks command) {
    TaskPageRequest request = request(command.statuses(), command.pageSize());
    return pages(request, page -> client.getUserTaskList(names.user(command.user()), page));
  }

  private static TaskPageRequest request(Integer statuses, int pageSize) {
    Set<TaskStatus> asked = statuses == null ? Set.of() : TaskStatus.ofBits(statuses);
    return new TaskPageRequest(asked, pageSize, null);
  }

  private Answer pages(TaskPageRequest request, Function<TaskPageRequest, TaskPage> list) {
    return answer(
        () -> {
          List<TaskView> listed = new ArrayList<>();
          String cursor = null;
          for (int i = 0; i < MAX_PAGES; i++) {
            TaskPage page = list.apply(request.withCursor(cursor));
            if (page.taskList().size() > request.limit()) {
              return new Answer.Broken(
                  page.taskList().size() + " tasks on a page of " + request.limit());
            }
            page.taskList().forEach(task -> listed.add(seen(task)));
            cursor = page.nextCursor();
            if (cursor == null) {
              return new Answer.Listed(listed);
            }
          }
          return new Answer.Broken("the pages do not end");
        });
  }

  // ---- holds

  @Override
  public Answer hold(Command.Hold command) {
    return answer(
        () -> {
          List<Task> held =
              client.holdTasks(
                  new HoldRequest(
                      names.type(command.type()),
                      command.limit(),
                      names.worker(command.worker()),
                      null,
                      command.holdId(),
                      command.stages()));
          return new Answer.Held(held.stream().map(this::held).toList());
        });
  }

  private TaskView held(Task task) {
    names.held(task.taskId(), task.leaseEpoch());
    return seen(task);
  }

  @Override
  public Answer beat(Command.Beat command) {
    return answer(
        () -> {
          List<Heartbeat.HeldTask> tasks =
              command.tasks().stream()
                  .map(
                      held ->
                          new Heartbeat.HeldTask(
                              names.id(held.task()),
                              names.epoch(held.task(), held.epochsBehind()),
                              held.progress()))
                  .toList();
          HeartbeatAnswer beaten =
              client.heartbeat(new Heartbeat(names.worker(command.worker()), tasks));
          List<Answer.Lease> leases = new ArrayList<>();
          for (int i = 0; i < tasks.size(); i++) {
            leases.add(lease(command.tasks().get(i), beaten.tasks().get(i)));
          }
          return new Answer.Beaten(leases);
        });
  }

  private Answer.Lease lease(Command.Held asked, LeaseState state) {
    boolean isThatTask = state.taskId().equals(names.id(asked.task()));
    return new Answer.Lease(
        isThatTask ? asked.task() : state.taskId(),
        state.leaseEpoch(),
        state.state().name(),
        state.leaseMs());
  }

  // ---- the ends of holds

  @Override
  public Answer report(Command.Report command) {
    return answer(
        () -> {
          Wire.Answer answer =
              wire.post("/api/task/set_task", JSON.writeValueAsString(toServer(command)));
          return answer.code() == 0
              ? new Answer.Reported(List.of(answer.result().path("outcome").asString()))
              : refused(answer);
        });
  }

  @Override
  public Answer reportBatch(Command.ReportBatch command) {
    return answer(
        () -> {
          List<Report> reports = command.reports().stream().map(this::toServer).toList();
          return new Answer.Reported(
              client.report(reports).stream().map(ServerDriver::outcome).toList());
        });
  }

  private static String outcome(ReportResult result) {
    return result.stands() ? result.outcome().name() : String.valueOf(result.code());
  }

  private Report toServer(Command.Report report) {
    boolean snooze = report.outcome() == Outcome.SNOOZE;
    return new Report(
        names.id(report.task()),
        names.worker(report.worker()),
        names.epoch(report.task(), report.epochsBehind()),
        report.outcome(),
        report.reportId(),
        report.stage(),
        report.context(),
        report.priority(),
        report.result(),
        report.errMsg(),
        snooze ? null : report.delayMs(),
        snooze ? report.delayMs() : null);
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

  // ---- operators

  @Override
  public Answer cancel(Command.Cancel command) {
    return done(() -> client.cancelTask(names.id(command.task())));
  }

  @Override
  public Answer retry(Command.Retry command) {
    return done(() -> client.retryTask(names.id(command.task())));
  }

  @Override
  public Answer forceStatus(Command.ForceStatus command) {
    return post(
        "/api/task/setStatus",
        Map.of("taskId", names.id(command.task()), "status", command.status(), "reason", "a test"));
  }

  // ---- governance and time

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

  // ---- answers

  private Answer post(String path, Map<String, Object> fields) {
    return answer(
        () -> {
          Wire.Answer answer = wire.post(path, JSON.writeValueAsString(fields));
          return answer.code() == 0 ? new Answer.Done() : refused(answer);
        });
  }

  private TaskView seen(Task task) {
    return names.seen(task);
  }

  private static Answer done(Runnable call) {
    return answer(
        () -> {
          call.run();
          return new Answer.Done();
        });
  }

  private static Answer answer(Supplier<Answer> call) {
    try {
      return call.get();
    } catch (FlowUnreachableException e) {
      return new Answer.Broken(e.getMessage());
    } catch (FlowException e) {
      return new Answer.Refused(e.errorCode().code());
    } catch (RuntimeException e) {
      return new Answer.Broken(e.toString());
    }
  }

  private static Answer refused(Wire.Answer answer) {
    return new Answer.Refused(answer.code());
  }
}
