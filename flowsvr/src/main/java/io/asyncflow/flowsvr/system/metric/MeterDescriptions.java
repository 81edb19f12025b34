package io.asyncflow.flowsvr.system.metric;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import java.util.Map;
import org.springframework.stereotype.Component;

/** Describes the meters of libraries that do not do it themselves. */
@Component
class MeterDescriptions implements MeterFilter {

  private static final Map<String, String> KNOWN =
      Map.of(
          "http.server.requests", "requests, by their routes and the status of the answers",
          "http.server.requests.active", "requests that are under way");

  @Override
  public Meter.Id map(Meter.Id id) {
    String description = id.getDescription();
    boolean isDescribed = description != null && !description.isBlank();
    if (isDescribed || id.getName().startsWith("asyncflow.")) {
      return id; // ours say what they are
    }
    return new Meter.Id(
        id.getName(),
        Tags.of(id.getTags()),
        id.getBaseUnit(),
        KNOWN.getOrDefault(id.getName(), id.getName() + " of Spring Boot or a library"),
        id.getType());
  }
}
