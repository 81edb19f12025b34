package io.asyncflow.flowsvr.pulse;

import io.asyncflow.flowsvr.pulse.StageCounters.News;
import io.asyncflow.flowsvr.pulse.TaskPulse.Place;
import io.asyncflow.flowsvr.pulse.count.Numbers;
import io.asyncflow.flowsvr.system.metric.StageSeries;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What has been taken of counters since the start of this server: those of a quiet stage are
 * forgotten, and a total never is. Not thread-safe.
 */
final class PulseTotals {

  private final StageSeries series = new StageSeries(Numbers.OTHER_STAGES);
  private final SortedMap<Labels, StageTotals> totals = new TreeMap<>();

  void add(Place place, News news) {
    addTo(totals, place, news);
  }

  /** Adds what happened at a place to totals that are shown. */
  void addTo(Map<Labels, StageTotals> shown, Place place, News news) {
    shown
        .computeIfAbsent(series.of(place.type(), place.stage()), first -> new StageTotals())
        .add(news);
  }

  SortedMap<Labels, StageTotals> copy() {
    SortedMap<Labels, StageTotals> copy = new TreeMap<>();
    totals.forEach((labels, sums) -> copy.put(labels, sums.copy()));
    return copy;
  }
}
