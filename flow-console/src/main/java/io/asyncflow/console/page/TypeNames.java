package io.asyncflow.console.page;

import io.asyncflow.api.FlowException;
import io.asyncflow.console.Live;
import io.asyncflow.console.frame.Calls;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * The names of the types that there are, which fields suggest.
 *
 * @param all of them, or the first ones of very many
 */
public record TypeNames(List<String> all) {

  public static final TypeNames NONE = new TypeNames(List.of());
  private static final int MOST = 200;
  private static final int MAX_AGE_MS = 60_000;

  /**
   * A page without suggestions is better than none, and news of an open page bring none. Types are
   * those that the server knew a minute ago, for which it reads nothing.
   */
  public static TypeNames read(Calls calls, HttpServletRequest request) {
    if (Live.isIn(request)) {
      return NONE;
    }
    try {
      return calls.shared(
          TypeNames.class, TypeNames::of, "/api/task_schedule_cfg/list", "maxAgeMs", MAX_AGE_MS);
    } catch (FlowException refused) {
      return NONE;
    }
  }

  private static TypeNames of(JsonNode answer) {
    return new TypeNames(
        answer
            .path("scheduleCfgList")
            .valueStream()
            .map(type -> type.path("task_type").asString(""))
            .sorted(String.CASE_INSENSITIVE_ORDER)
            .limit(MOST)
            .toList());
  }
}
