package io.asyncflow.worker.internal.execute;

import io.asyncflow.worker.Slot;
import io.asyncflow.worker.internal.loop.Loop;
import io.asyncflow.worker.internal.loop.Ticker;
import io.asyncflow.worker.internal.loop.WakeUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
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
 * <p>A place on which three runs in a row lacked resources is quarantined: it is not lent for half
 * a minute, and then to one run, whose success ends the matter. Each time that this fails it takes
 * twice as long, up to a quarter of an hour.
 */
public final class SlotPool implements Loop.Step {

  /** So many runs in a row may lack resources. */
  private static final int STRIKES = 3;

  private static final Duration FIRST_QUARANTINE = Duration.ofSeconds(30);
  private static final Duration LONGEST_QUARANTINE = Duration.ofMinutes(15);

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
  private final List<Runnable> freed = new CopyOnWriteArrayList<>();
  private final List<Runnable> quarantineChanged = new CopyOnWriteArrayList<>();

  /**
   * @param devices device name to the number of its places
   * @param wakeUp signalled when there is a quarantine to end some time
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
   * So many places on one device, on the one that is the least busy; for a run with a model, where
   * that is loaded, or else where nothing is, or else in the place of what was used longest ago.
   *
   * @param model what the run loads; empty for nothing
   */
  public synchronized Optional<Slot> tryTake(int places, String model) {
    return devices.values().stream()
        .filter(device -> count(device, PlaceState.FREE) >= places)
        .min(
            Comparator.comparing((List<Place> device) -> lossOf(model, bestOf(device, model)))
                .thenComparing(device -> count(device, PlaceState.LENT)))
        .map(device -> lend(device, places, model));
  }

  private static Place bestOf(List<Place> device, String model) {
    return freeByLoss(device, model).get(0);
  }

  /** The best for such a run first. */
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

  /** The last run on it had the resources that it needs. */
  synchronized void recordSuccess(Slot slot) {
    for (Place place : placesOf(slot)) {
      place.strikes = 0;
      place.nextQuarantine = FIRST_QUARANTINE;
    }
  }

  /** The last run on it lacked resources: what was loaded is not there, or not for long. */
  synchronized void recordResourceFailure(Slot slot) {
    for (Place place : placesOf(slot)) {
      place.strikes++;
      place.model.forget();
    }
  }

  private List<Place> placesOf(Slot slot) {
    return lent.getOrDefault(slot, List.of());
  }

  public void giveBack(Slot slot) {
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

  /** Ends the quarantines that are over. */
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

  /** Calls {@code listener} after each slot that is given back, in the thread that had it. */
  public void whenFreed(Runnable listener) {
    freed.add(listener);
  }

  /** Calls {@code listener} after a quarantine has begun or ended. */
  public void whenQuarantineChanged(Runnable listener) {
    quarantineChanged.add(listener);
  }

  public synchronized int free() {
    return in(PlaceState.FREE).size();
  }

  /** How many runs that take so many places on one device could start. */
  public synchronized int fits(int places) {
    return devices.values().stream()
        .mapToInt(device -> count(device, PlaceState.FREE) / places)
        .sum();
  }

  /**
   * Whether no run that takes so many places could start, nor one that takes as many has begun
   * within this time: smaller ones that come and go leave no room for it.
   */
  synchronized boolean stalled(int places, long nanos) {
    long now = ticker.nanos();
    return fits(places) == 0
        && lent.entrySet().stream()
            .filter(slot -> slot.getKey().places() >= places)
            .noneMatch(slot -> now - slot.getValue().get(0).lentAt <= nanos);
  }

  /** What is loaded on each of the free places; {@link LoadedModel#NONE} where nothing is. */
  public synchronized List<String> freeModels() {
    return in(PlaceState.FREE).stream().map(place -> place.model.name()).toList();
  }

  /** Whether the model of one of the free places {@linkplain LoadedModel has had its turn}. */
  public synchronized boolean isTurnOver() {
    return in(PlaceState.FREE).stream()
        .anyMatch(place -> place.model.hasHadItsTurn(ticker.nanos()));
  }

  /** Those whose turn is over have another: nobody wants their places. */
  public synchronized void beginNextTurn() {
    in(PlaceState.FREE).stream()
        .filter(place -> place.model.hasHadItsTurn(ticker.nanos()))
        .forEach(place -> place.model.beginTurn(ticker.nanos()));
  }

  /** Free places by device, those without one too. */
  public synchronized Map<String, Integer> freeByDevice() {
    Map<String, Integer> places = new LinkedHashMap<>();
    devices.forEach((device, all) -> places.put(device, count(all, PlaceState.FREE)));
    return places;
  }

  /** As {@code cuda:0/1}. */
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
