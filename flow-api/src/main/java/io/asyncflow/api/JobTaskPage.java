package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * One page of the children of a job, in their order.
 *
 * @param taskList may be shorter than the limit, even empty, although more pages follow
 * @param nextCursor for the next page; {@code null} on the last
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record JobTaskPage(List<JobTask> taskList, String nextCursor) {}
