package io.asyncflow.flowsvr.task.event.log;

import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.rules.CodePoints;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskType;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.json.JsonMapper;

/**
 * An event to be written.
 *
 * @param type of the task; of a job its {@code jobType}, of a schedule the type of its target
 * @param body JSON, at most 2,000 bytes
 */
public record NewEvent(EventKind kind, TaskType type, String body) {

  private static final int MAX_BYTES = 2_000;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  /**
   * An event of a job or a schedule, or of a task that has no row yet. A message that is too long
   * is cut.
   */
  public static NewEvent of(EventKind kind, TaskType type, Event event) {
    Event fitting = event;
    String body = JSON.writeValueAsString(fitting);
    while (fitting.errMsg() != null && body.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
      fitting = fitting.withErrMsg(half(fitting.errMsg()));
      body = JSON.writeValueAsString(fitting);
    }
    return new NewEvent(kind, type, body);
  }

  private static String half(String message) {
    int points = message.codePointCount(0, message.length()) / 2;
    return points == 0 ? null : CodePoints.cut(message, points);
  }

  /**
   * An event of a task.
   *
   * @param row after the event
   * @param errMsg why it failed; {@code null} for none
   */
  public static NewEvent ofTask(EventKind kind, TaskRow row, String errMsg) {
    return of(
        kind,
        row.id().type(),
        new Event(
            null,
            null,
            null,
            row.id().toString(),
            null,
            row.stage(),
            row.userId(),
            row.status().code(),
            row.leaseEpoch(),
            row.crtRetryNum(),
            row.place() == null ? null : "" + row.place().jobId(),
            row.fire() == null ? null : "" + row.fire().scheduleId(),
            row.fire() == null ? null : row.fire().fireTime(),
            row.workerId().isEmpty() ? null : row.workerId(),
            errMsg,
            null));
  }
}
