package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * One page of a list of jobs, newest first.
 *
 * @param jobList may be shorter than the limit, even empty, although more pages follow
 * @param nextCursor for the next page; {@code null} on the last
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record JobPage(List<Job> jobList, String nextCursor) {}
