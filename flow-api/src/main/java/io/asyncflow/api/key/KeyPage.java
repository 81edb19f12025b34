package io.asyncflow.api.key;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A page of access keys, newest first.
 *
 * @param nextCursor the cursor of the next page; {@code null} on the last
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record KeyPage(List<ListedKey> keyList, String nextCursor) {}
