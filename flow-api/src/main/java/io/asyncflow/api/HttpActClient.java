package io.asyncflow.api;

import io.asyncflow.api.act.ActClient;
import io.asyncflow.api.act.ActFilter;
import io.asyncflow.api.act.ActPage;

/** The calls about the record of acts, over HTTP. */
final class HttpActClient implements ActClient {

  private static final Answer<ActPage> ACTS = Answer.of(ActPage.class);

  private final HttpTransport http;

  HttpActClient(HttpTransport http) {
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
