package io.asyncflow.flowsvr.front.compat;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** The paths of the dialects that are switched on; none by default. Thread-safe. */
@Component
class OldRoutes {

  /** An old call in its dialect. */
  record Route(Dialect dialect, OldCall call) {}

  private final Map<String, Route> byPath = new HashMap<>();

  OldRoutes(Environment settings) {
    Arrays.stream(Dialect.values())
        .filter(dialect -> dialect.isOn(settings))
        .forEach(
            dialect ->
                dialect
                    .paths()
                    .forEach((path, call) -> byPath.put(path, new Route(dialect, call))));
  }

  Map<String, Route> all() {
    return byPath;
  }

  /** The route of a request; {@code null} if it is none of these. */
  Route of(HttpServletRequest request) {
    return byPath.isEmpty() ? null : byPath.get(request.getServletPath());
  }
}
