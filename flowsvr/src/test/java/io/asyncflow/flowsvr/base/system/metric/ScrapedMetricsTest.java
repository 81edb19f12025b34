package io.asyncflow.flowsvr.base.system.metric;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class ScrapedMetricsTest {

  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final AtomicInteger reads = new AtomicInteger();

  private static ScrapedMetrics metrics(PrometheusRegistry registry) {
    return new ScrapedMetrics(registry);
  }

  private List<MetricSnapshot> one(String name) {
    reads.incrementAndGet();
    return List.of(
        GaugeSnapshot.builder()
            .name(name)
            .help("one")
            .dataPoint(GaugeDataPointSnapshot.builder().value(1).build())
            .build());
  }

  @Test
  void whatCannotBeReadIsLeftOutAndNothingElse() {
    ScrapedMetrics metrics = metrics(registry);
    metrics.add(
        List.of("broken"),
        () -> {
          throw new IllegalStateException("the database is away");
        });
    metrics.add(List.of("good"), () -> one("good"));

    assertThat(registry.scrape().stream().map(one -> one.getMetadata().getName()))
        .containsExactly("good");
  }

  @Test
  void logSaysOnceThatMetricsAreLeftOut(CapturedOutput output) {
    AtomicBoolean isAway = new AtomicBoolean(true);
    metrics(registry)
        .add(
            List.of("sometimes"),
            () -> {
              if (isAway.get()) {
                throw new FlowException(ErrorCode.LIMIT_EXCEEDED, "ask for less");
              }
              return one("sometimes");
            });
    registry.scrape();
    registry.scrape();
    assertThat(output.toString().split("WARN.*\\[sometimes\\] are left out.*ask for less", -1))
        .hasSize(2);

    isAway.set(false);
    registry.scrape();
    isAway.set(true);
    registry.scrape();
    assertThat(output.toString().split("\\[sometimes\\] are left out", -1)).hasSize(3);
  }

  @Test
  void valuesAreReadByAScrapeOfTheirNamesAlone() {
    metrics(registry).add(List.of("good"), () -> one("good"));
    assertThat(reads).hasValue(0);
    registry.scrape(name -> name.equals("other"));
    assertThat(reads).hasValue(0);
    registry.scrape(name -> name.equals("good"));
    assertThat(reads).hasValue(1);
  }
}
