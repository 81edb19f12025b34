package io.asyncflow.flowsvr.job;

import io.asyncflow.flowsvr.task.JobLedger.Change;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** What a task's log says of why its last attempt failed. */
final class LastError {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private LastError() {}

  static String of(Change change) {
    String error = of(change.scheduleLog());
    return error == null ? change.id() + " failed" : error;
  }

  /** {@code null} if it says nothing, or is none of ours. */
  static String of(String scheduleLog) {
    if (scheduleLog == null || scheduleLog.isBlank()) {
      return null;
    }
    try {
      String error = JSON.readTree(scheduleLog).path("lastData").path("errMsg").asString("");
      return error.isEmpty() ? null : error;
    } catch (JacksonException e) {
      return null;
    }
  }
}
