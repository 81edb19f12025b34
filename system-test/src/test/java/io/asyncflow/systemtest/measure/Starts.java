package io.asyncflow.systemtest.measure;

import io.asyncflow.systemtest.history.Act;
import io.asyncflow.systemtest.history.Phase;
import io.asyncflow.systemtest.scenario.Scenario;
import java.util.List;

/**
 * When handlers were started for a given epoch of their tasks.
 *
 * @param moments in their order
 */
public record Starts(List<Long> moments) {

  public static Starts of(Scenario scenario, int epoch) {
    return of(scenario, epoch, null);
  }

  /**
   * @param stage {@code null} for any
   */
  public static Starts of(Scenario scenario, int epoch, String stage) {
    return new Starts(
        scenario.history().events().stream()
            .filter(event -> event.act() == Act.RUN && event.phase() == Phase.INVOKE)
            .filter(event -> event.epoch() == epoch)
            .filter(event -> stage == null || event.stage().equals(stage))
            .map(event -> event.at())
            .toList());
  }

  public int count() {
    return moments.size();
  }

  /** Counted from 1. */
  public long nth(int n) {
    return moments.get(n - 1);
  }

  public long last() {
    return moments.get(moments.size() - 1);
  }
}
