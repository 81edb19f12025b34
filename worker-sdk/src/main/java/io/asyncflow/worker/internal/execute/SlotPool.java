package io.asyncflow.worker.internal.execute;

import io.asyncflow.worker.Slot;
import io.asyncflow.worker.internal.loop.Loop;
import io.asyncflow.worker.internal.loop.Ticker;
import io.asyncflow.worker.internal.loop.WakeUp;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.run.RunState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The places on scarce devices that all types of a worker share.
 *
 * <p>A place on which three runs in a row lacked resources is quarantined: it is not used for half
 * a minute, and then for one run. If that run succeeds, the quarantine ends; each failure doubles
 * the time, up to a quarter of an hour.
 */
public final class SlotPool implements Loop.Step {

  /** How many runs in a row must lack resources for a quarantine. */
  private static final int STRIKES = 3;

  private static final Duration FIRST_QUARANTINE = Duration.ofSeconds(30);
  private static final Duration LONGEST_QUARANTINE = Duration.ofMinutes(15);

  /** How long smaller runs may keep a run from its places before one with so many is asked for. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Logger log = LoggerFactory.getLogger(SlotPool.class);

  private enum PlaceState {
    FREE,
    LENT,
    QUARANTINED
  }

  private static final class Place {
    private final String device;
    private final int index;
    private PlaceState state = PlaceState.FREE;
    private int strikes;
    private Duration nextQuarantine = FIRST_QUARANTINE;
    private long freeAgainAt;
    private long lentAt;
    private final LoadedModel model = new LoadedModel();

    private Place(String device, int index) {
      this.device = device;
      this.index = index;
    }

    @Override
    public String toString() {
      return device + "/" + index;
    }
  }

  private final Ticker ticker;
  private final WakeUp wakeUp;
  private final Map<String, List<Place>> devices = new LinkedHashMap<>();
  private final Map<Slot, List<Place>> lent = new LinkedHashMap<>();
  private final Map<Integer, Long> tooFewSince = new HashMap<>();

  /** Waits for the places of {@link #kept}, which no other run gets; {@code null} for none. */
  private Run first;

  /** {@code null} once {@link #first} has started. */
  private List<Place> kept;

  private final List<Runnable> freed = new CopyOnWriteArrayList<>();
  private final List<Runnable> quarantineChanged = new CopyOnWriteArrayList<>();

  /**
   * @param devices device name to the number of its places
   * @param wakeUp signalled when a quarantine has begun, which the loop must end
   */
  public SlotPool(Map<String, Integer> devices, Ticker ticker, WakeUp wakeUp) {
    this.ticker = ticker;
    this.wakeUp = wakeUp;
    devices.forEach(
        (device, count) -> {
          List<Place> places = new ArrayList<>();
          for (int index = 0; index < count; index++) {
            places.add(new Place(device, index));
          }
          this.devices.put(device, places);
        });
  }

  /**
   * Takes places on the least busy device. A run with a model prefers a device with the model
   * loaded, then one with nothing loaded, then the place whose model was used longest ago.
   *
   * @param model the model that the run loads; empty for none
   */
  public synchronized Optional<Slot> tryTake(int places, String model) {
    return tryTake(places, model, keptForOthers(null));
  }

  /**
   * The same for a queued run. If it needs several places and finds too few, no other run gets any
   * on one device, until it has started or has left the queue: smaller runs, also of other types,
   * would take each place as soon as it is free.
   */
  synchronized Optional<Slot> tryTake(Run run) {
    Optional<Slot> slot = tryTake(run.places(), run.stage().model(), keptForOthers(run));
    if (slot.isPresent() && run == first) {
      kept = null;
    } else if (slot.isEmpty() && run.places() > 1 && first == null) {
      kept = leastBusy(run.places()).orElse(null);
      first = kept == null ? null : run;
    }
    return slot;
  }

  /** The device on which the run gets no place; {@code null} for none. */
  private List<Place> keptForOthers(Run run) {
    return isAnyKept() && first != run ? kept : null;
  }

  private boolean isAnyKept() {
    return kept != null && first.state() == RunState.QUEUED;
  }

  /** Whether no other run gets the places for which this one waits. */
  synchronized boolean isNext(Run run) {
    return isAnyKept() && run == first;
  }

  /**
   * Tells all that wait for places if the run that kept some has started, or has left its queue.
   * Not called under the lock of a pool, since it wakes the others.
   */
  public void passOn() {
    synchronized (this) {
      if (first == null || isAnyKept()) {
        return;
      }
      first = null;
      kept = null;
    }
    freed.forEach(Runnable::run);
  }

  private Optional<List<Place>> leastBusy(int places) {
    return devices.values().stream()
        .filter(device -> device.size() - count(device, PlaceState.QUARANTINED) >= places)
        .max(Comparator.comparing(device -> count(device, PlaceState.FREE)));
  }

  private Optional<Slot> tryTake(int places, String model, List<Place> except) {
    return devices.values().stream()
        .filter(device -> device != except && count(device, PlaceState.FREE) >= places)
        .min(
            Comparator.comparing((List<Place> device) -> lossOf(model, bestOf(device, model)))
                .thenComparing(device -> count(device, PlaceState.LENT)))
        .map(device -> lend(device, places, model));
  }

  private static Place bestOf(List<Place> device, String model) {
    return freeByLoss(device, model).get(0);
  }

  /** The free places, the best for this model first. */
  private static List<Place> freeByLoss(List<Place> device, String model) {
    return device.stream()
        .filter(place -> place.state == PlaceState.FREE)
        .sorted(
            Comparator.comparing((Place place) -> lossOf(model, place))
                .thenComparing(place -> model.isEmpty() ? 0 : place.model.usedAt()))
        .toList();
  }

  private static int lossOf(String model, Place place) {
    if (model.isEmpty() || place.model.name().equals(model)) {
      return 0;
    }
    return place.model.name().equals(LoadedModel.NONE) ? 1 : 2;
  }

  private Slot lend(List<Place> device, int count, String model) {
    List<Place> places = freeByLoss(device, model).subList(0, count);
    for (Place place : places) {
      place.state = PlaceState.LENT;
      place.lentAt = ticker.nanos();
      if (!model.isEmpty()) {
        place.model.use(model, ticker.nanos());
      }
    }
    Slot slot = new Slot(places.get(0).device, places.get(0).index, count);
    lent.put(slot, places);
    return slot;
  }

  /** The last run on the slot had the resources that it needed. */
  synchronized void recordSuccess(Slot slot) {
    for (Place place : placesOf(slot)) {
      place.strikes = 0;
      place.nextQuarantine = FIRST_QUARANTINE;
    }
  }

  /** The last run on the slot lacked resources: the loaded model is gone or will be. */
  synchronized void recordResourceFailure(Slot slot) {
    for (Place place : placesOf(slot)) {
      place.strikes++;
      place.model.forget();
    }
  }

  private List<Place> placesOf(Slot slot) {
    return lent.getOrDefault(slot, List.of());
  }

  /** Frees the places of a slot, or quarantines them. */
  public void free(Slot slot) {
    boolean anyQuarantined = false;
    synchronized (this) {
      for (Place place : lent.remove(slot)) {
        place.state = PlaceState.FREE;
        if (place.strikes >= STRIKES) {
          quarantine(place);
          anyQuarantined = true;
        }
      }
    }
    freed.forEach(Runnable::run);
    if (anyQuarantined) {
      quarantineChanged.forEach(Runnable::run);
    }
  }

  private void quarantine(Place place) {
    place.state = PlaceState.QUARANTINED;
    place.freeAgainAt = ticker.nanos() + place.nextQuarantine.toNanos();
    log.warn(
        "{} lacked resources {} times in a row; it is not used for {} s",
        place,
        place.strikes,
        place.nextQuarantine.toSeconds());
    Duration twice = place.nextQuarantine.multipliedBy(2);
    place.nextQuarantine = twice.compareTo(LONGEST_QUARANTINE) < 0 ? twice : LONGEST_QUARANTINE;
    wakeUp.signal();
  }

  /** Ends expired quarantines. */
  @Override
  public Duration runOnce() {
    boolean anyFreed = false;
    long next = Long.MAX_VALUE;
    synchronized (this) {
      for (Place place : in(PlaceState.QUARANTINED)) {
        if (place.freeAgainAt <= ticker.nanos()) {
          place.state = PlaceState.FREE;
          anyFreed = true;
          log.info("{} is tried again", place);
        } else {
          next = Math.min(next, place.freeAgainAt);
        }
      }
    }
    if (anyFreed) {
      freed.forEach(Runnable::run);
      quarantineChanged.forEach(Runnable::run);
    }
    return next == Long.MAX_VALUE ? Loop.UNTIL_WOKEN : ticker.until(next);
  }

  /** Calls {@code listener} after places were freed, in the freeing thread. */
  public void whenFreed(Runnable listener) {
    freed.add(listener);
  }

  /** Calls {@code listener} after a quarantine has begun or ended. */
  public void whenQuarantineChanged(Runnable listener) {
    quarantineChanged.add(listener);
  }

  /** The number of free places. */
  public synchronized int freePlaces() {
    return in(PlaceState.FREE).size();
  }

  /** How many runs with this number of places could start. */
  public synchronized int fits(int places) {
    List<Place> except = keptForOthers(null);
    return devices.values().stream()
        .filter(device -> device != except)
        .mapToInt(device -> count(device, PlaceState.FREE) / places)
        .sum();
  }

  /**
   * Whether smaller runs alone have kept runs with this number of places from starting for a while.
   */
  public synchronized boolean starves(int places) {
    boolean hasTooFew =
        places > 1
            && fits(places) == 0
            && lent.keySet().stream().noneMatch(slot -> slot.places() >= places);
    if (!hasTooFew) {
      tooFewSince.remove(places);
      return false;
    }
    long now = ticker.nanos();
    return now - tooFewSince.computeIfAbsent(places, n -> now) >= PATIENCE.toNanos();
  }

  /**
   * Whether no run with this number of places can start now, and none with as many has started
   * within this time. Smaller runs alone do not count as progress.
   */
  synchronized boolean stalled(int places, long nanos) {
    long now = ticker.nanos();
    return fits(places) == 0
        && lent.entrySet().stream()
            .filter(slot -> slot.getKey().places() >= places)
            .noneMatch(slot -> now - slot.getValue().get(0).lentAt <= nanos);
  }

  /** The model on each free place; {@link LoadedModel#NONE} if none is loaded. */
  public synchronized List<String> freeModels() {
    return in(PlaceState.FREE).stream().map(place -> place.model.name()).toList();
  }

  /** Whether the model of one of the free places {@linkplain LoadedModel has had its turn}. */
  public synchronized boolean isTurnOver() {
    return in(PlaceState.FREE).stream()
        .anyMatch(place -> place.model.hasHadItsTurn(ticker.nanos()));
  }

  /** Models whose turn is over get another: no other run needs their places. */
  public synchronized void beginNextTurn() {
    in(PlaceState.FREE).stream()
        .filter(place -> place.model.hasHadItsTurn(ticker.nanos()))
        .forEach(place -> place.model.beginTurn(ticker.nanos()));
  }

  /** The number of free places by device, including devices without free places. */
  public synchronized Map<String, Integer> freeByDevice() {
    Map<String, Integer> places = new LinkedHashMap<>();
    devices.forEach((device, all) -> places.put(device, count(all, PlaceState.FREE)));
    return places;
  }

  /** The models that are loaded on places, each once. */
  public synchronized List<String> loadedModels() {
    return devices.values().stream()
        .flatMap(List::stream)
        .map(place -> place.model.name())
        .filter(model -> !model.equals(LoadedModel.NONE))
        .distinct()
        .toList();
  }

  /** The quarantined places, such as {@code cuda:0/1}. */
  public synchronized List<String> quarantined() {
    return in(PlaceState.QUARANTINED).stream().map(Place::toString).toList();
  }

  public int total() {
    return devices.values().stream().mapToInt(List::size).sum();
  }

  private List<Place> in(PlaceState state) {
    return devices.values().stream()
        .flatMap(List::stream)
        .filter(place -> place.state == state)
        .toList();
  }

  private static int count(List<Place> device, PlaceState state) {
    return (int) device.stream().filter(place -> place.state == state).count();
  }
}
