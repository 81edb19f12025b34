package io.asyncflow.api.act;

import io.asyncflow.api.Answer;
import io.asyncflow.api.Call;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.Transport;

/**
 * The calls of flowsvr's contract about the record of acts; see {@link FlowClient} for the
 * exceptions. Thread-safe.
 */
public final class ActClient {

  private static final Answer<ActPage> ACTS = Answer.of(ActPage.class);

  private final Transport transport;

  /**
   * @param transport sends the calls
   */
  public ActClient(Transport transport) {
    this.transport = transport;
  }

  /**
   * Lists acts, newest first.
   *
   * @param limit the most acts in a page, 1 to 1,000; {@code null} for 100
   * @param cursor the last page's {@link ActPage#nextCursor()}; {@code null} for the first page
   */
  public ActPage list(ActFilter filter, Integer limit, String cursor) {
    return transport.send(
        Call.to("/api/audit/list", ACTS)
            .with("actor", filter.actor())
            .with("object", filter.object())
            .with("act", filter.act())
            .with("from", filter.from())
            .with("to", filter.to())
            .with("limit", limit)
            .with("cursor", cursor));
  }
}
