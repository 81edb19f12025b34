package io.asyncflow.systemtest.check;

import io.asyncflow.systemtest.history.Act;
import io.asyncflow.systemtest.history.Event;
import io.asyncflow.systemtest.history.History;
import io.asyncflow.systemtest.history.Phase;
import io.asyncflow.worker.StageNeeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Holds a history to what stages need: they run on workers that have their labels, and no device is
 * ever lent beyond its places.
 *
 * <p>A run is recorded while it has its slot, from after it got it until before it gives it back.
 * So two of them that overlap in the history did so in the worker. One that never ended has its
 * slot for as long as its process lived. Thread-safe.
 */
public final class FleetChecker {

  private final Map<String, StageNeeds> needs;

  /**
   * @param needs of each stage; one that is missing needs nothing
   */
  public FleetChecker(Map<String, StageNeeds> needs) {
    this.needs = Map.copyOf(needs);
  }

  /**
   * What was seen.
   *
   * @param violations in words, in the order of the history; empty if all is well
   * @param runs of each stage
   * @param mostPlaces that runs had at once, by worker and device
   */
  public record Findings(
      List<String> violations, Map<String, Integer> runs, Map<String, Integer> mostPlaces) {}

  public Findings check(History history) {
    Watch watch = new Watch();
    history.tell(watch::see);
    return new Findings(watch.violations, watch.runs, watch.mostPlaces);
  }

  /** Places of a device that a run has. */
  private record Lent(String device, int first, int places) {

    static Lent parse(String slot) {
      int slash = slot.lastIndexOf('/');
      int plus = slot.lastIndexOf('+');
      return new Lent(
          slot.substring(0, slash),
          Integer.parseInt(slot.substring(slash + 1, plus)),
          Integer.parseInt(slot.substring(plus + 1)));
    }
  }

  private record Call(String process, long number) {}

  private final class Watch {

    private final List<String> violations = new ArrayList<>();
    private final Map<String, Integer> runs = new HashMap<>();
    private final Map<String, Integer> mostPlaces = new HashMap<>();
    private final Map<String, Set<String>> labels = new HashMap<>();
    private final Map<String, Integer> capacity = new HashMap<>();
    private final Map<Call, Lent> open = new HashMap<>();

    void see(Event event) {
      if (event.act() == Act.WORKER) {
        started(event);
      } else if (event.act() == Act.RUN && event.phase() == Phase.INVOKE) {
        began(event);
      } else if (event.act() == Act.RUN) {
        open.remove(new Call(event.process(), event.call()));
      }
    }

    private void started(Event event) {
      labels.put(event.process(), Set.of(event.text().split(",")));
      for (String device : event.slot().split(",")) {
        int plus = device.lastIndexOf('+');
        if (plus > 0) {
          capacity.put(
              key(event, device.substring(0, plus)), Integer.valueOf(device.substring(plus + 1)));
        }
      }
    }

    private void began(Event event) {
      runs.merge(event.stage(), 1, Integer::sum);
      StageNeeds needed = needs.getOrDefault(event.stage(), StageNeeds.nothing());
      for (String label : needed.labels()) {
        if (!labels.getOrDefault(event.process(), Set.of()).contains(label)) {
          found(event, "needs a worker with the label " + label);
        }
      }
      Lent lent = event.slot() == null ? null : Lent.parse(event.slot());
      if ((lent == null ? 0 : lent.places()) != needed.slots()) {
        found(event, "needs " + needed.slots() + " places and has " + event.slot());
      }
      if (lent != null) {
        lend(event, lent);
      }
    }

    private void lend(Event event, Lent lent) {
      int places = lent.places();
      for (Map.Entry<Call, Lent> other : open.entrySet()) {
        if (other.getKey().process().equals(event.process())
            && other.getValue().device().equals(lent.device())) {
          places += other.getValue().places();
          if (other.getValue().first() == lent.first()) {
            found(event, "has a place that another run has: " + event.slot());
          }
        }
      }
      String device = key(event, lent.device());
      mostPlaces.merge(device, places, Math::max);
      if (places > capacity.getOrDefault(device, 0)) {
        found(event, places + " places of " + device + " are lent, which has fewer");
      }
      open.put(new Call(event.process(), event.call()), lent);
    }

    private static String key(Event event, String device) {
      return event.process() + " " + device;
    }

    private void found(Event event, String what) {
      violations.add(
          "%s, stage %s on %s: %s".formatted(event.task(), event.stage(), event.process(), what));
    }
  }
}
