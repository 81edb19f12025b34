package io.asyncflow.api.schedule;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * One page of a list of schedules, newest first.
 *
 * @param scheduleList may be shorter than the limit, even empty, although more pages follow
 * @param nextCursor for the next page; {@code null} on the last
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record SchedulePage(List<Schedule> scheduleList, String nextCursor) {}
