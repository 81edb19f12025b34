package io.asyncflow.flowsvr.tasktype;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.rules.field.TaskTypeFields;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A validated save of a type.
 *
 * @param settings the values; {@code null} keeps a value
 * @param removed the values that were sent as null and can be {@code null}
 * @param expectedModifyTime epoch ms, as the caller has read the type; 0 if there is none yet;
 *     {@code null} for any
 * @param respells whether an existing type is to be spelled as in {@code settings}
 * @param why for the record
 */
record TaskTypeForm(
    TaskTypeSettings settings,
    Set<Removable> removed,
    Long expectedModifyTime,
    boolean respells,
    Reason why) {

  /** A value that a type need not have. */
  enum Removable {
    MAX_RETRY_INTERVAL("maxRetryInterval"),
    MAX_UNEXPECTED_RETRIES("maxUnexpectedRetries");

    private final String field;

    Removable(String field) {
      this.field = field;
    }
  }

  private static final Set<String> KNOWN =
      Set.of(
          "taskType",
          "scheduleLimit",
          "scheduleInterval",
          "maxProcessingTime",
          "maxRetryNum",
          "retryInterval",
          "maxRetryInterval",
          "maxUnexpectedRetries",
          "leaseSeconds",
          "maxDelivery",
          "rollThreshold",
          "retentionDays",
          "maxExecuting",
          "rateLimit",
          "userRateLimit",
          "minWorkerVersion",
          "paused",
          "events",
          "sealed",
          "expectedModifyTime",
          "operator",
          "reason",
          // Sent by a client that saves what it has listed; ignored.
          "createTime",
          "modifyTime");

  /**
   * @throws io.asyncflow.api.FlowException with every invalid and every unknown field
   */
  static TaskTypeForm read(Fields in) {
    TaskTypeSettings settings = TaskTypeFields.settings(in);
    Long expected = in.number("expectedModifyTime").between(0, Long.MAX_VALUE).asLong();
    Reason why = Reason.read(in);
    in.refuseUnknown(KNOWN);
    in.refuseIfBad();
    Set<Removable> removed =
        Arrays.stream(Removable.values())
            .filter(value -> in.isNull(value.field))
            .collect(Collectors.toUnmodifiableSet());
    return new TaskTypeForm(settings, removed, expected, in.respells(), why);
  }

  /**
   * @param type as it is; empty if there is none
   * @throws FlowException with {@link ErrorCode#CHANGED_MEANWHILE} if it is not the expected one
   */
  void requireExpected(Optional<TaskTypeSettings> type) {
    long modifyTime = type.map(TaskTypeSettings::modifyTime).orElse(0L);
    if (expectedModifyTime != null && expectedModifyTime != modifyTime) {
      throw new FlowException(
          ErrorCode.CHANGED_MEANWHILE,
          "the type %s has changed: its modify_time was %s when it was read, and is %s"
              .formatted(settings.taskType(), expectedModifyTime, modifyTime));
    }
  }

  /** Whether the save changes nothing but what slows the type down or stops it. */
  boolean onlyTunes() {
    TaskTypeSettings tuned =
        TaskTypeSettings.named(settings.taskType())
            .withMaxExecuting(settings.maxExecuting())
            .withRateLimit(settings.rateLimit())
            .withPaused(settings.paused());
    return removed.isEmpty() && !respells && settings.equals(tuned);
  }
}
