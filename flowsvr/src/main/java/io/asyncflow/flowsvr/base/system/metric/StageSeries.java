package io.asyncflow.flowsvr.base.system.metric;

import io.asyncflow.flowsvr.base.system.TypeSeries;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which stages have series of their own: of the types of a {@link TypeSeries}, {@value #STAGES} of
 * each at most and {@value #PLACES} in all. All others of a type share a series, and all other
 * types another one. The first ones stay, so that no counter changes its meaning. Not thread-safe.
 */
public final class StageSeries {

  public static final int STAGES = 16;
  public static final int PLACES = 500;

  private final String others;
  private final TypeSeries types = new TypeSeries();
  private final Map<String, Integer> stagesOfType = new HashMap<>();
  private final Map<List<String>, Labels> labels = new LinkedHashMap<>();
  private int places;

  /**
   * @param others the stage of the shared series; no stage has this name
   */
  public StageSeries(String others) {
    this.others = others;
  }

  /** The labels of a stage's series. */
  public Labels of(String type, String stage) {
    Labels known = labels.get(List.of(type, stage));
    if (known != null) {
      return known;
    }
    if (types.of(type).equals(TypeSeries.OTHERS)) {
      return labelsOf(TypeSeries.OTHERS, others);
    }
    int stages = stagesOfType.computeIfAbsent(type, first -> 0);
    if (stage.equals(others) || stages >= STAGES || places >= PLACES) {
      return labelsOf(type, others);
    }
    stagesOfType.put(type, stages + 1);
    places++;
    return labelsOf(type, stage);
  }

  private Labels labelsOf(String type, String stage) {
    return labels.computeIfAbsent(
        List.of(type, stage), place -> Labels.of("type", type, "stage", stage));
  }

  /** All labels that were given. */
  public Collection<Labels> all() {
    return labels.values();
  }
}
