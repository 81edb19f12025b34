package io.asyncflow.flowsvr.system.metric;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.function.Predicate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** All metrics. A scrape may ask for a counter with its {@code _total}, or without. */
@Configuration(proxyBeanMethods = false)
class PrometheusNames {

  private static final String TOTAL = "_total";

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
}
