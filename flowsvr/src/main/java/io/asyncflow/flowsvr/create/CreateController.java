package io.asyncflow.flowsvr.create;

import io.asyncflow.api.NewTask;
import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.task.TaskLimits;
import io.asyncflow.flowsvr.web.Envelope;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.flowsvr.web.read.Takes;
import io.asyncflow.rules.TaskId;
import java.util.List;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/task")
class CreateController {

  private final TaskCreator creator;

  CreateController(TaskCreator creator) {
    this.creator = creator;
  }

  record CreateTask(NewTask taskData) {}

  record CreateTasks(List<NewTask> taskDataList) {}

  record Created(String taskId) {}

  record CreatedTasks(List<String> taskIds) {}

  @Takes(summary = "Creates a task", shape = CreateTask.class)
  @PostMapping({"/createTask", "/create_task"})
  Envelope<Created> createTask(Fields in) {
    TaskDraft task = NewTaskForm.read(in.object("taskData"));
    in.refuseIfBad();
    return Envelope.ok(new Created(creator.create(task).toString()));
  }

  @Takes(summary = "Creates 1 to 1,000 tasks, all or none", shape = CreateTasks.class)
  @PostMapping({"/createTasks", "/create_tasks"})
  Envelope<CreatedTasks> createTasks(Fields in) {
    List<TaskDraft> tasks =
        in.objects("taskDataList", 1, TaskLimits.BATCH).stream().map(NewTaskForm::read).toList();
    in.refuseIfBad();
    return Envelope.ok(
        new CreatedTasks(
            creator.create(CreateCall.of(tasks).byUsers()).stream()
                .map(TaskId::toString)
                .toList()));
  }
}
