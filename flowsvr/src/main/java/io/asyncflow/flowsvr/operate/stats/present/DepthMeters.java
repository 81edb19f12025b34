package io.asyncflow.flowsvr.operate.stats.present;

import io.asyncflow.flowsvr.base.leader.LeaderElection;
import io.asyncflow.flowsvr.base.pulse.count.Numbers;
import io.asyncflow.flowsvr.base.system.metric.ScrapedMetrics;
import io.asyncflow.flowsvr.base.system.metric.StageSeries;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.ToDoubleFunction;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * What is due and executing in the whole fleet, as metrics of each type and stage. They come from
 * the snapshot that the console shows, which is read at a scrape if it is {@link #AGE} old.
 *
 * <p>Only the leader has them, so a sum over all servers counts no task twice. A stage that has had
 * a task keeps its series, at 0. If the database does not answer, there are none.
 */
@Component
class DepthMeters {

  private static final Duration AGE = Duration.ofSeconds(14); // less than a common interval

  private static final String DUE = "asyncflow_tasks_due";
  private static final String EXECUTING = "asyncflow_tasks_executing";
  private static final String OLDEST = "asyncflow_tasks_oldest_due_seconds";

  private final PresentQueries present;
  private final BooleanSupplier leads;
  private StageSeries series = newSeries();

  @Autowired
  DepthMeters(PresentQueries present, LeaderElection election, ScrapedMetrics metrics) {
    this(present, () -> election.term().isPresent());
    metrics.add(List.of(DUE, EXECUTING, OLDEST), this::snapshots);
  }

  DepthMeters(PresentQueries present, BooleanSupplier leads) {
    this.present = present;
    this.leads = leads;
  }

  private static StageSeries newSeries() {
    return new StageSeries(Numbers.OTHER_STAGES);
  }

  synchronized List<MetricSnapshot> snapshots() {
    if (!leads.getAsBoolean()) {
      series = newSeries();
      return List.of();
    }
    Map<Labels, StageDepth> shown = new HashMap<>();
    for (StageDepth depth : present.depths(AGE)) {
      shown.merge(series.of(depth.type(), depth.stage()), depth, StageDepth::plus);
    }
    series.all().forEach(labels -> shown.putIfAbsent(labels, StageDepth.NOTHING));
    return List.of(
        gauge(
            DUE, "tasks that wait and are due; estimated beyond a hundred", shown, StageDepth::due),
        gauge(
            EXECUTING,
            "tasks that workers hold; estimated beyond a thousand",
            shown,
            StageDepth::executing),
        gauge(
            OLDEST,
            "since the first of the due tasks became due, also of what is paused; 0 if none is due",
            shown,
            depth -> depth.oldestDueMs() / 1_000.0));
  }

  private static MetricSnapshot gauge(
      String name, String help, Map<Labels, StageDepth> shown, ToDoubleFunction<StageDepth> value) {
    return ScrapedMetrics.gauge(name, help, shown, labels -> labels, value);
  }
}
