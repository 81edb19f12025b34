package io.asyncflow.flowsvr.base.system.metric;

import io.asyncflow.flowsvr.base.system.Outage;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Metrics that are made of what the server knows anyway when Prometheus asks for them, and cost
 * nothing otherwise. Thread-safe.
 */
@Component
public class ScrapedMetrics {

  private static final Logger log = LoggerFactory.getLogger(ScrapedMetrics.class);

  private final PrometheusRegistry registry;

  ScrapedMetrics(PrometheusRegistry registry) {
    this.registry = registry;
  }

  /**
   * Adds some metrics.
   *
   * @param names all that there may be, without {@code _total}; a scrape that asks for others alone
   *     does not read these
   * @param source their values; if it fails, they are left out, and the log says so
   */
  public void add(List<String> names, Supplier<List<MetricSnapshot>> source) {
    registry.register(new Source(names, source));
  }

  /** A gauge with a value for each key, in the order of the map. */
  public static <K, V> MetricSnapshot gauge(
      String name,
      String help,
      Map<K, V> values,
      Function<K, Labels> labels,
      ToDoubleFunction<V> value) {
    GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(help);
    values.forEach(
        (key, of) ->
            gauge.dataPoint(
                new GaugeDataPointSnapshot(value.applyAsDouble(of), labels.apply(key), null)));
    return gauge.build();
  }

  private static final class Source implements MultiCollector {

    private final List<String> names;
    private final Supplier<List<MetricSnapshot>> values;
    private volatile boolean hasFailed;

    Source(List<String> names, Supplier<List<MetricSnapshot>> values) {
      this.names = names;
      this.values = values;
    }

    @Override
    public MetricSnapshots collect() {
      try {
        MetricSnapshots read = new MetricSnapshots(values.get());
        hasFailed = false;
        return read;
      } catch (RuntimeException e) {
        report(e);
        return MetricSnapshots.of();
      }
    }

    private void report(RuntimeException e) {
      if (hasFailed) {
        log.debug("{} are left out of a scrape", names, e);
        return;
      }
      hasFailed = true;
      Outage.of(e)
          .ifPresentOrElse(
              outage ->
                  log.warn(
                      "{} are left out until a scrape can read them: {}", names, outage.line()),
              () -> log.warn("{} are left out until a scrape can read them", names, e));
    }

    @Override
    public List<String> getPrometheusNames() {
      return names;
    }
  }
}
