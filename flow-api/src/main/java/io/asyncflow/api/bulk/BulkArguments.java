package io.asyncflow.api.bulk;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * With what a bulk acts; {@code null} for what the act does not take.
 *
 * @param status 1, 4, 8 or 16, for {@link BulkAct#SET_STATUS}
 * @param runAt epoch milliseconds, for {@link BulkAct#RESCHEDULE}
 * @param delayMs from the preview on; answers have {@code runAt} instead
 * @param priority seconds of head start
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record BulkArguments(Integer status, Long runAt, Long delayMs, Integer priority) {

  public static final BulkArguments NONE = new BulkArguments(null, null, null, null);
}
