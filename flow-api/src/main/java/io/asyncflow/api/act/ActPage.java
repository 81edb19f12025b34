package io.asyncflow.api.act;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A page of acts, newest first.
 *
 * @param nextCursor the cursor of the next page; {@code null} on the last
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ActPage(List<ListedAct> actList, String nextCursor) {}
