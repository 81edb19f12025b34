package io.asyncflow.flowsvr.base.system.metric;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Map;
import java.util.function.Predicate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * All metrics. A scrape may ask for a counter with its {@code _total}, or without. Meters of
 * libraries that do not describe themselves are described here.
 */
@Configuration(proxyBeanMethods = false)
class PrometheusNames {

  private static final String TOTAL = "_total";
  private static final Map<String, String> DESCRIPTIONS =
      Map.of(
          "http.server.requests", "requests, by their routes and the status of the answers",
          "http.server.requests.active", "requests that are under way");

  /** An anonymous class: processors of annotations need the library's for each other subclass. */
  @Bean
  PrometheusRegistry prometheusRegistry() {
    return new PrometheusRegistry() {
      @Override
      public MetricSnapshots scrape(Predicate<String> included) {
        return super.scrape(
            name -> included.test(name) || included.test(name + TOTAL) || isBare(name, included));
      }
    };
  }

  private static boolean isBare(String name, Predicate<String> included) {
    return name.endsWith(TOTAL) && included.test(name.substring(0, name.length() - TOTAL.length()));
  }

  @Bean
  static MeterFilter descriptions() {
    return new MeterFilter() {
      @Override
      public Meter.Id map(Meter.Id id) {
        String description = id.getDescription();
        boolean isDescribed = description != null && !description.isBlank();
        return isDescribed || id.getName().startsWith("asyncflow.") ? id : described(id);
      }
    };
  }

  private static Meter.Id described(Meter.Id id) {
    String description =
        DESCRIPTIONS.getOrDefault(id.getName(), id.getName() + " of Spring Boot or a library");
    return new Meter.Id(
        id.getName(), Tags.of(id.getTags()), id.getBaseUnit(), description, id.getType());
  }
}
