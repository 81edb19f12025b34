package io.asyncflow.api.bulk;

import io.asyncflow.api.Task;
import io.asyncflow.api.stats.BoundedCount;
import java.util.List;
import java.util.Map;

/**
 * What a bulk would do. Nothing was changed.
 *
 * @param count the tasks that match; to be repeated when the bulk is started
 * @param looked at how many tasks the preview has looked
 * @param byStatus how many of the found tasks have each status, by its name
 * @param samples up to five of them, without contexts and results
 * @param cap the bulk ends after so many acts
 * @param token starts it, in the hands of the same caller
 * @param tokenUntil epoch milliseconds
 */
public record BulkPreview(
    String bulkId,
    BulkAct act,
    BulkArguments arguments,
    Map<String, Object> filter,
    BoundedCount count,
    long looked,
    Map<String, Integer> byStatus,
    List<Task> samples,
    int cap,
    String token,
    long tokenUntil) {}
