package io.asyncflow.api.act;

import io.asyncflow.api.FlowClient;

/**
 * The calls of flowsvr's contract about the record of acts; see {@link FlowClient} for the
 * exceptions. Implementations are thread-safe.
 */
public interface ActClient {

  /**
   * Lists acts, newest first.
   *
   * @param limit the most acts in a page, 1 to 1,000; {@code null} for 100
   * @param cursor the last page's {@link ActPage#nextCursor()}; {@code null} for the first page
   */
  ActPage list(ActFilter filter, Integer limit, String cursor);
}
