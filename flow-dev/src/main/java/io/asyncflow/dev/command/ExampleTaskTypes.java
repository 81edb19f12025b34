package io.asyncflow.dev.command;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.dev.DevException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
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
  static void spellForOldWorkers(FlowClient flow, URI server, String key) {
    if (flow.taskTypes().stream().noneMatch(type -> type.taskType().equals("lark"))) {
      return;
    }
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.resolve("/task_schedule_cfg/task_configuration"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"task_type\":\"Lark\"}"));
    if (key != null && !key.isEmpty()) {
      request.header("Authorization", "Bearer " + key);
    }
    try {
      HttpResponse<String> answer =
          HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new DevException("The type lark could not be spelled Lark: " + answer.body());
      }
    } catch (IOException e) {
      throw new DevException("The type lark could not be spelled Lark: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DevException("Spelling the type lark was interrupted.", e);
    }
  }

  private static TaskTypeSettings settings(
      String type, int scheduleLimit, int maxProcessingSeconds, int leaseSeconds) {
    return new TaskTypeSettings(
        type,
        scheduleLimit,
        10,
        maxProcessingSeconds,
        3,
        10,
        null,
        leaseSeconds,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }
}
