package io.asyncflow.worker.internal;

import io.asyncflow.worker.Slot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** The places on scarce devices that all types of a worker share. */
final class SlotPool {

  private final int total;
  private final List<Slot> free = new ArrayList<>();
  private final Map<String, Integer> taken = new LinkedHashMap<>();
  private final List<Runnable> freed = new CopyOnWriteArrayList<>();

  /**
   * @param devices device name to the number of its places
   */
  SlotPool(Map<String, Integer> devices) {
    devices.forEach(
        (device, places) -> {
          taken.put(device, 0);
          for (int index = 0; index < places; index++) {
            free.add(new Slot(device, index));
          }
        });
    total = free.size();
  }

  /** A place on the device that is the least busy, if any place is free. */
  synchronized Optional<Slot> tryTake() {
    Optional<Slot> slot =
        free.stream()
            .min(
                Comparator.comparing((Slot s) -> taken.get(s.device())).thenComparing(Slot::index));
    slot.ifPresent(
        s -> {
          free.remove(s);
          taken.merge(s.device(), 1, Integer::sum);
        });
    return slot;
  }

  void giveBack(Slot slot) {
    synchronized (this) {
      free.add(slot);
      taken.merge(slot.device(), -1, Integer::sum);
    }
    freed.forEach(Runnable::run);
  }

  /** Calls {@code listener} after each slot that is given back, in the thread that had it. */
  void whenFreed(Runnable listener) {
    freed.add(listener);
  }

  synchronized int free() {
    return free.size();
  }

  /** Free places by device, those without one too. */
  synchronized Map<String, Integer> freeByDevice() {
    Map<String, Integer> places = new LinkedHashMap<>();
    taken.keySet().forEach(device -> places.put(device, 0));
    free.forEach(slot -> places.merge(slot.device(), 1, Integer::sum));
    return places;
  }

  int total() {
    return total;
  }
}
