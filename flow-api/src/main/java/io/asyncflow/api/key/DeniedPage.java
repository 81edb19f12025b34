package io.asyncflow.api.key;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A page of denied callers, by their names.
 *
 * @param nextCursor the cursor of the next page; {@code null} on the last
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DeniedPage(List<DeniedCaller> deniedList, String nextCursor) {}
