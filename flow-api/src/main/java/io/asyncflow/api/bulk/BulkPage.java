package io.asyncflow.api.bulk;

import java.util.List;

/**
 * A page of bulks, the newest first.
 *
 * @param nextCursor {@code null} on the last page
 */
public record BulkPage(List<Bulk> bulks, String nextCursor) {}
