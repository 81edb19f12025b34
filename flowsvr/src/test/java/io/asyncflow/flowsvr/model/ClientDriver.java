package io.asyncflow.flowsvr.model;

import io.asyncflow.api.CreateResult;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.HeartbeatAnswer.LeaseState;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPage;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.TaskStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/** Carries out what commands a {@link FlowClient} can. */
abstract class ClientDriver implements Driver {

  private static final int MAX_PAGES = 1_000;

  private final FlowClient client;
  final ServerNames names;

  ClientDriver(FlowClient client, ServerNames names) {
    this.client = client;
    this.names = names;
  }

  // ---- types and tasks

  @Override
  public Answer saveType(Command.SaveType command) {
    return done(() -> client.saveTaskType(names.toServer(command.settings())));
  }

  @Override
  public Answer create(Command.Create command) {
    return answer(
        () -> {
          CreateResult result = client.create(names.toServer(command.task()));
          return new Answer.Created(List.of(created(command, result)));
        });
  }

  @Override
  public Answer createBatch(Command.CreateBatch command) {
    return answer(
        () -> {
          List<CreateResult> results = client.create(toServer(command.tasks()));
          List<String> created = new ArrayList<>();
          for (int i = 0; i < results.size(); i++) {
            created.add(created(command.tasks().get(i), results.get(i)));
          }
          return new Answer.Created(created);
        });
  }

  private List<NewTask> toServer(List<Command.Create> creates) {
    return creates.stream().map(create -> names.toServer(create.task())).toList();
  }

  private String created(Command.Create command, CreateResult result) {
    return created(command, result.taskId()) + " " + result.outcome();
  }

  private String created(Command.Create command, String id) {
    return names.created(command.label(), id) + "@" + ServerNames.tableOf(id);
  }

  @Override
  public Answer getTask(Command.GetTask command) {
    return answer(
        () -> {
          Task task = client.getTask(names.id(command.task()));
          return new Answer.Found(seen(task), names.workersSeen(task));
        });
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
  public Answer reportBatch(Command.ReportBatch command) {
    return answer(
        () -> {
          List<Report> reports = command.reports().stream().map(this::toServer).toList();
          List<ReportResult> results = client.report(reports);
          List<String> outcomes = new ArrayList<>();
          for (int i = 0; i < results.size(); i++) {
            ReportResult result = results.get(i);
            outcomes.add(
                result.stands()
                    ? outcome(command.reports().get(i), result.outcome().name(), result.created())
                    : String.valueOf(result.code()));
          }
          return new Answer.Reported(outcomes);
        });
  }

  /**
   * @param created {@code null} for none
   */
  String outcome(Command.Report command, String verdict, List<String> created) {
    List<String> labels = new ArrayList<>();
    for (int i = 0; created != null && i < created.size(); i++) {
      labels.add(created(command.creates().get(i), created.get(i)));
    }
    return labels.isEmpty() ? verdict : verdict + " " + labels;
  }

  Report toServer(Command.Report report) {
    boolean snooze = report.outcome() == Outcome.SNOOZE;
    Report sent =
        Report.of(
                names.id(report.task()),
                names.worker(report.worker()),
                names.epoch(report.task(), report.epochsBehind()),
                report.outcome())
            .withReportId(report.reportId())
            .withNext(report.stage(), report.context(), report.priority())
            .withResult(report.result())
            .withErrMsg(report.errMsg())
            .withRetryAfterMs(snooze ? null : report.delayMs())
            .withDelayMs(snooze ? report.delayMs() : null);
    return sent.withUnexpected(report.unexpected())
        .withBegun(report.begun())
        .withWorkerIds(names.workers(report.workers()))
        .withCreates(toServer(report.creates()));
  }

  // ---- operators

  @Override
  public Answer cancel(Command.Cancel command) {
    return act(() -> client.cancelTask(names.id(command.task())));
  }

  @Override
  public Answer pause(Command.Pause command) {
    return act(() -> client.pauseTask(names.id(command.task()), command.stop(), null, null));
  }

  @Override
  public Answer resume(Command.Resume command) {
    return act(() -> client.resumeTask(names.id(command.task())));
  }

  @Override
  public Answer retry(Command.Retry command) {
    return act(() -> client.retryTask(names.id(command.task())));
  }

  @Override
  public Answer setWorkers(Command.SetWorkers command) {
    return act(() -> client.setWorkers(names.id(command.task()), names.workers(command.workers())));
  }

  @Override
  public Answer restart(Command.Restart command) {
    return act(() -> client.restartTask(names.id(command.task())));
  }

  // ---- answers

  private TaskView seen(Task task) {
    return names.seen(task);
  }

  static Answer done(Runnable call) {
    return answer(
        () -> {
          call.run();
          return new Answer.Done();
        });
  }

  /** An operator's act. The words of its refusal are compared, too. */
  private static Answer act(Runnable call) {
    return answer(
        () -> {
          try {
            call.run();
            return new Answer.Done();
          } catch (FlowException e) {
            if (e.errorCode() == ErrorCode.TRANSITION_NOT_ALLOWED) {
              return Answer.refusedAct(e);
            }
            throw e;
          }
        });
  }

  static Answer answer(Supplier<Answer> call) {
    try {
      return call.get();
    } catch (FlowUnreachableException e) {
      return new Answer.Broken(e.getMessage());
    } catch (FlowException e) {
      return Answer.refused(e.errorCode());
    } catch (RuntimeException e) {
      return new Answer.Broken(e.toString());
    }
  }
}
