package io.asyncflow.api.pause;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A page of pauses, by kind and name.
 *
 * @param nextCursor the cursor of the next page; {@code null} on the last
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PausePage(List<Pause> pauseList, String nextCursor) {}
