package io.asyncflow.flowsvr.queue.create;

import io.asyncflow.api.CreateOutcome;
import io.asyncflow.api.CreateResult;
import io.asyncflow.api.NewTask;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.filter.TraceId;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.flowsvr.task.row.NamedObjects;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.flowsvr.task.type.SealedTexts;
import io.asyncflow.rules.field.TaskFields;
import io.asyncflow.rules.field.TaskLimits;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/task")
class CreateController {

  private final TaskCreator creator;
  private final SealedTexts sealedTexts;
  private final NamedObjects objects;

  CreateController(TaskCreator creator, SealedTexts sealedTexts, NamedObjects objects) {
    this.creator = creator;
    this.sealedTexts = sealedTexts;
    this.objects = objects;
  }

  record CreateTask(NewTask taskData) {}

  record CreateTasks(List<NewTask> taskDataList) {}

  record CreatedTasks(List<String> taskIds, List<CreateOutcome> outcomes) {}

  @Takes(summary = "Creates a task", shape = CreateTask.class)
  @Needs(Verb.TASK_CREATE)
  @PostMapping({"/createTask", "/create_task"})
  Envelope<CreateResult> createTask(Fields in, Caller caller, HttpServletRequest request) {
    TaskDraft task = inTraceOf(request, NewTaskForm.read(in.object("taskData")));
    in.refuseIfBad();
    objects.require(List.of(task), null, caller);
    sealedTexts.check(task.type(), task.context(), "taskData.taskContext");
    CreatedTask created =
        caller.seesAllUsers() || task.idempotencyKey() == null
            ? creator.createWithOutcome(task)
            : creator.createWithOutcome(callOf(List.of(task), caller)).get(0);
    return Envelope.ok(new CreateResult(created.id().toString(), created.outcome()));
  }

  @Takes(summary = "Creates 1 to 1,000 tasks, all or none", shape = CreateTasks.class)
  @Needs(Verb.TASK_CREATE)
  @PostMapping({"/createTasks", "/create_tasks"})
  Envelope<CreatedTasks> createTasks(Fields in, Caller caller, HttpServletRequest request) {
    List<TaskDraft> tasks =
        in.objects("taskDataList", 1, TaskLimits.BATCH).stream()
            .map(task -> inTraceOf(request, NewTaskForm.read(task)))
            .toList();
    TaskFields.refuseManySets(in, "taskDataList", tasks.stream().map(TaskDraft::workers));
    in.refuseIfBad();
    objects.require(tasks, null, caller);
    for (int i = 0; i < tasks.size(); i++) {
      TaskDraft task = tasks.get(i);
      sealedTexts.check(task.type(), task.context(), "taskDataList[" + i + "].taskContext");
    }
    List<CreatedTask> created = creator.createWithOutcome(callOf(tasks, caller));
    return Envelope.ok(
        new CreatedTasks(
            created.stream().map(task -> task.id().toString()).toList(),
            created.stream().map(CreatedTask::outcome).toList()));
  }

  private static TaskDraft inTraceOf(HttpServletRequest request, TaskDraft task) {
    return task.inTraceUnlessSaid(TraceId.parentOf(request));
  }

  private static CreateCall callOf(List<TaskDraft> tasks, Caller caller) {
    return CreateCall.of(tasks).byUsers().seenBy(caller.scope().users());
  }
}
