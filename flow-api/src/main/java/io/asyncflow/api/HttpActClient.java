package io.asyncflow.api;

import com.fasterxml.jackson.databind.ObjectReader;
import io.asyncflow.api.act.ActClient;
import io.asyncflow.api.act.ActFilter;
import io.asyncflow.api.act.ActPage;

/** The calls about the record of acts, over the connections of an {@link HttpFlowClient}. */
final class HttpActClient implements ActClient {

  private static final ObjectReader ACTS = HttpFlowClient.envelopeOf(ActPage.class);

  private final HttpFlowClient http;

  HttpActClient(HttpFlowClient http) {
    this.http = http;
  }

  private record ListActs(
      String actor, String object, String act, Long from, Long to, Integer limit, String cursor) {}

  @Override
  public ActPage list(ActFilter filter, Integer limit, String cursor) {
    ListActs call =
        new ListActs(
            filter.actor(),
            filter.object(),
            filter.act(),
            filter.from(),
            filter.to(),
            limit,
            cursor);
    return http.post("/api/audit/list", call, ACTS);
  }
}
