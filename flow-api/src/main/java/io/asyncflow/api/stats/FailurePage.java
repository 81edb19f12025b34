package io.asyncflow.api.stats;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A page of failures that are alike, the latest first.
 *
 * @param whole whether all hours were read; otherwise the oldest are missing, and counts are lower
 *     bounds
 * @param nextCursor the cursor of the next page; {@code null} on the last
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FailurePage(boolean whole, List<FailureGroup> groups, String nextCursor) {}
