package io.asyncflow.flowsvr.job;

import io.asyncflow.flowsvr.task.JobLedger.Change;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a task's log says of its last hold.
 *
 * @param error why it failed; {@code null} if it did not, or the log is none of ours
 * @param costMs how long it took; {@code null} if there was none
 */
record LastHold(String error, Long costMs) {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  static LastHold of(String scheduleLog) {
    if (scheduleLog == null || scheduleLog.isBlank()) {
      return new LastHold(null, null);
    }
    try {
      JsonNode last = JSON.readTree(scheduleLog).path("lastData");
      String error = last.path("errMsg").asString("");
      String cost = last.path("cost").asString("");
      return new LastHold(
          error.isEmpty() ? null : error,
          cost.matches("[0-9]{1,15}ms") ? Long.parseLong(cost.replace("ms", "")) : null);
    } catch (JacksonException e) {
      return new LastHold(null, null);
    }
  }

  /** Why a task has failed; never {@code null}. */
  static String errorOf(Change change) {
    String error = of(change.scheduleLog()).error();
    return error == null ? change.id() + " failed" : error;
  }
}
