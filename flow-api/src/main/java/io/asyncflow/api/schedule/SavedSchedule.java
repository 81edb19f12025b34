package io.asyncflow.api.schedule;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The answer to a save.
 *
 * @param scheduleId the schedule of that name
 * @param outcome what the save did
 * @param nextFireTime epoch milliseconds; {@code null} if no fire is planned
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SavedSchedule(String scheduleId, SaveOutcome outcome, Long nextFireTime) {}
