package io.asyncflow.dev.command;

import io.asyncflow.api.Call;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.TaskTypeSettings;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The task types that the example worker has handlers for. */
final class ExampleTaskTypes {
  // tts: a merge of hours of speech takes minutes, so a run gets as many before it counts as stuck,
  // and its lease is short, so that a lost worker is noticed all the same.
  private static final List<TaskTypeSettings> TYPES =
      List.of(settings("tts", 10, 600, 30), settings("lark", 100, 30, 30));

  private ExampleTaskTypes() {}

  /** Creates the types that do not exist; what somebody has changed since stays as it is. */
  static void createMissing(FlowClient flow) {
    Set<String> existing =
        flow.taskTypes().stream()
            .map(type -> type.taskType().toLowerCase(Locale.ROOT))
            .collect(Collectors.toSet());
    for (TaskTypeSettings type : TYPES) {
      if (!existing.contains(type.taskType())) {
        flow.saveTaskType(type);
      }
    }
  }

  /**
   * Spells {@code lark} as a worker of an older project expects it, which has a class {@code Lark};
   * over the path of such clients, because a save over the API leaves the spelling.
   */
  static void spellForOldWorkers(FlowClient flow) {
    if (flow.taskTypes().stream().noneMatch(type -> type.taskType().equals("lark"))) {
      return;
    }
    flow.transport()
        .send(Call.to("/task_schedule_cfg/task_configuration").with("task_type", "Lark"));
  }

  private static TaskTypeSettings settings(
      String type, int scheduleLimit, int maxProcessingSeconds, int leaseSeconds) {
    return TaskTypeSettings.named(type)
        .withScheduleLimit(scheduleLimit)
        .withScheduleInterval(10)
        .withMaxProcessingTime(maxProcessingSeconds)
        .withMaxRetryNum(3)
        .withRetryInterval(10)
        .withLeaseSeconds(leaseSeconds);
  }
}
