package io.asyncflow.api.bulk;

import java.util.Map;

/**
 * A bulk that is to be previewed.
 *
 * @param filter the fields of a search that say which tasks: {@code q}, {@code taskId} …
 * @param arguments may be {@code null}
 * @param cap the most tasks to act on; {@code null} for what the caller's role allows
 */
public record NewBulk(
    BulkAct act, Map<String, Object> filter, BulkArguments arguments, Integer cap) {

  /**
   * @param q the words of a search, such as {@code type:tts status:failed}
   */
  public static NewBulk of(BulkAct act, String q, BulkArguments arguments) {
    return new NewBulk(act, Map.of("q", q), arguments, null);
  }
}
