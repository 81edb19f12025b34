package io.asyncflow.api.schedule;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * One page of the history of a schedule, newest first.
 *
 * @param fireList may be shorter than the limit, even empty, although more pages follow
 * @param gapList the gaps that lie between the fires of this page and after the next page's first
 * @param nextCursor for the next page; {@code null} on the last
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record FirePage(List<ScheduleFire> fireList, List<ScheduleGap> gapList, String nextCursor) {}
