package io.asyncflow.api.act;

import io.asyncflow.api.Call;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.Transport;

/**
 * The calls of flowsvr's contract about the record of acts; see {@link FlowClient} for the
 * exceptions. Thread-safe.
 *
 * @param transport sends the calls
 */
public record ActClient(Transport transport) {

  /**
   * Lists acts, newest first.
   *
   * @param limit the most acts in a page, 1 to 1,000; {@code null} for 100
   * @param cursor the last page's {@link ActPage#nextCursor()}; {@code null} for the first page
   */
  public ActPage list(ActFilter filter, Integer limit, String cursor) {
    return transport.send(
        Call.to("/api/audit/list", ActPage.class)
            .with("actor", filter.actor())
            .with("object", filter.object())
            .with("act", filter.act())
            .with("from", filter.from())
            .with("to", filter.to())
            .with("limit", limit)
            .with("cursor", cursor));
  }
}
