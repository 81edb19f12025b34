package io.asyncflow.flowsvr.operate.stats.present;

import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.index.Source;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How much of a stage is due and executing.
 *
 * @param due as far as tasks were counted, or estimated
 * @param oldestDueMs for how long the first of the due tasks has been due; 0 if none is
 */
record StageDepth(String type, String stage, long due, long executing, long oldestDueMs) {

  static final StageDepth NOTHING = new StageDepth("", "", 0, 0, 0);

  private static StageDepth of(Source place, long due, long executing, long oldestDueMs) {
    return new StageDepth(place.table().type().name(), place.stage(), due, executing, oldestDueMs);
  }

  StageDepth plus(StageDepth other) {
    return new StageDepth(
        type,
        stage,
        due + other.due,
        executing + other.executing,
        Math.max(oldestDueMs, other.oldestDueMs));
  }

  /** The sums of all tables and lanes. */
  static List<StageDepth> of(
      List<Head> waiting, Map<Source, BoundedCount> due, Map<Source, BoundedCount> executing) {
    Map<List<String>, StageDepth> sums = new HashMap<>();
    waiting.forEach(first -> add(sums, of(first.source(), 0, 0, Math.max(0, first.lateMs()))));
    due.forEach((place, count) -> add(sums, of(place, count.count(), 0, 0)));
    executing.forEach((place, count) -> add(sums, of(place, 0, count.count(), 0)));
    return List.copyOf(sums.values());
  }

  private static void add(Map<List<String>, StageDepth> sums, StageDepth one) {
    sums.merge(List.of(one.type, one.stage), one, StageDepth::plus);
  }
}
