package io.asyncflow.flowsvr.task.type;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.MissingVerbException;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.TaskTypeFields;
import java.time.Duration;
import java.util.List;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/task_schedule_cfg")
class TaskTypeController {

  private final TaskTypes types;

  TaskTypeController(TaskTypes types) {
    this.types = types;
  }

  record ListTypes(Long maxAgeMs) {}

  record SaveTaskType(
      @JsonUnwrapped TaskTypeSettings settings,
      @JsonProperty("expected_modify_time") Long expectedModifyTime,
      String operator,
      String reason) {}

  record TaskTypeList(List<TaskTypeSettings> scheduleCfgList) {}

  @Takes(summary = "Lists the task types", shape = ListTypes.class)
  @Needs(Verb.TYPE_READ)
  @GetOrPost("/list")
  Envelope<TaskTypeList> list(Fields in, Caller caller) {
    int maxAgeMs = TaskTypeFields.maxAgeMs(in);
    in.refuseIfBad();
    List<TaskTypeSettings> settings =
        types.allOrThrow(Duration.ofMillis(maxAgeMs)).stream()
            .filter(type -> caller.seesType(type.type().name()))
            .map(TaskTypeConfig::toSettings)
            .toList();
    return Envelope.ok(new TaskTypeList(settings));
  }

  @Takes(
      summary = "Creates a task type, or changes the given fields of one",
      shape = SaveTaskType.class)
  @Needs({Verb.TYPE_SAVE, Verb.TYPE_TUNE})
  @PostMapping("/save")
  Envelope<Void> save(Fields in, Caller caller) {
    TaskTypeForm form = TaskTypeForm.read(in.inSnakeCase());
    TaskType.parse(form.settings().taskType()).ifPresent(type -> caller.requireType(type.name()));
    caller.requireAllUsers();
    if (!caller.may(Verb.TYPE_SAVE) && !tunes(form)) {
      throw new MissingVerbException(Verb.TYPE_SAVE);
    }
    types.save(form);
    return Envelope.done();
  }

  private boolean tunes(TaskTypeForm form) {
    boolean exists = TaskType.parse(form.settings().taskType()).flatMap(types::find).isPresent();
    return exists && form.onlyTunes();
  }
}
