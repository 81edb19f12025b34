package io.asyncflow.worker.internal.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.worker.Slot;
import io.asyncflow.worker.internal.loop.Loop;
import io.asyncflow.worker.internal.loop.ManualTicker;
import io.asyncflow.worker.internal.loop.WakeUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SlotPoolTest {

  private final ManualTicker ticker = new ManualTicker();
  private final SlotPool pool = pool(new LinkedHashMap<>(Map.of("a", 2, "b", 2)));

  private SlotPool pool(Map<String, Integer> devices) {
    return new SlotPool(devices, ticker, new WakeUp());
  }

  @Test
  void devicesTakeTurns() {
    List<String> devices = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      devices.add(pool.tryTake(1, "").orElseThrow().device());
    }
    assertThat(devices.subList(0, 2)).containsExactlyInAnyOrder("a", "b");
    assertThat(devices.subList(2, 4)).containsExactlyInAnyOrder("a", "b");
    assertThat(pool.tryTake(1, "")).isEmpty();
  }

  @Test
  void noSlotIsLentTwice() {
    List<Slot> taken = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      taken.add(pool.tryTake(1, "").orElseThrow());
    }
    assertThat(taken).doesNotHaveDuplicates();
    pool.free(taken.get(2));
    assertThat(pool.tryTake(1, "")).contains(taken.get(2));
    assertThat(pool.freePlaces()).isZero();
    assertThat(pool.total()).isEqualTo(4);
  }

  @Test
  void whoWaitsIsTold() {
    List<String> told = new ArrayList<>();
    pool.whenFreed(() -> told.add("freed"));
    pool.free(pool.tryTake(1, "").orElseThrow());
    assertThat(told).containsExactly("freed");
  }

  @Test
  void modelsThatAreLoadedAreNamedOnce() {
    SlotPool devices = pool(Map.of("a", 3));
    assertThat(devices.loadedModels()).isEmpty();

    Slot slot = devices.tryTake(1, "kokoro").orElseThrow();
    devices.tryTake(1, "kokoro").orElseThrow();
    devices.free(slot);

    assertThat(devices.loadedModels()).containsExactly("kokoro");
  }

  @Test
  void freePlacesAreCountedByDevice() {
    SlotPool devices = pool(Map.of("a", 1, "b", 2));
    Slot taken = devices.tryTake(1, "").orElseThrow();
    assertThat(devices.freeByDevice())
        .isEqualTo(taken.device().equals("a") ? Map.of("a", 0, "b", 2) : Map.of("a", 1, "b", 1));
  }

  @Test
  void aRunMayTakeSeveralPlacesOfOneDevice() {
    SlotPool devices = pool(Map.of("gpu", 4));
    Slot large = devices.tryTake(2, "").orElseThrow();
    assertThat(large.places()).isEqualTo(2);
    devices.tryTake(1, "").orElseThrow();
    assertThat(devices.fits(1)).isEqualTo(1);
    assertThat(devices.tryTake(2, "")).as("one place is left").isEmpty();
    devices.free(large);
    assertThat(devices.fits(2)).isEqualTo(1);
    assertThat(pool.tryTake(3, "")).as("two places on each of two devices").isEmpty();
  }

  @Test
  void slotsAreStalledWhileNoneAsLargeIsFreeOrWasLentLately() {
    SlotPool devices = pool(Map.of("gpu", 2));
    long aSecond = Duration.ofSeconds(1).toNanos();
    Slot large = devices.tryTake(2, "").orElseThrow();
    assertThat(devices.stalled(1, aSecond)).as("lent just now").isFalse();
    ticker.advance(Duration.ofSeconds(1));
    assertThat(devices.stalled(1, aSecond)).isFalse();
    ticker.advance(Duration.ofMillis(1));
    assertThat(devices.stalled(1, aSecond)).isTrue();
    devices.free(large);
    assertThat(devices.stalled(2, aSecond)).as("free").isFalse();

    devices.tryTake(1, "").orElseThrow();
    assertThat(devices.stalled(1, aSecond)).as("one is free").isFalse();
    assertThat(devices.stalled(2, aSecond)).as("a smaller run is no chance").isTrue();
    devices.tryTake(1, "").orElseThrow();
    assertThat(devices.stalled(1, aSecond)).as("lent just now").isFalse();
  }

  private void lackResources(SlotPool places, int times) {
    for (int i = 0; i < times; i++) {
      Slot slot = places.tryTake(1, "").orElseThrow();
      places.recordResourceFailure(slot);
      places.free(slot);
    }
  }

  @Test
  void threeLacksInARowPutAPlaceInQuarantine() {
    SlotPool one = pool(Map.of("cuda:0", 1));
    lackResources(one, 2);
    Slot slot = one.tryTake(1, "").orElseThrow();
    one.recordSuccess(slot);
    one.free(slot);
    lackResources(one, 2);
    assertThat(one.quarantined()).as("a run between them went well").isEmpty();
    lackResources(one, 1);
    assertThat(one.quarantined()).containsExactly("cuda:0/0");
    assertThat(one.tryTake(1, "")).isEmpty();
    assertThat(one.freeByDevice()).isEqualTo(Map.of("cuda:0", 0));
  }

  @Test
  void aQuarantineEndsInATrialAndLastsLongerEachTime() {
    SlotPool one = pool(Map.of("cuda:0", 1));
    List<String> told = new ArrayList<>();
    lackResources(one, 3);
    one.whenFreed(() -> told.add("freed"));
    ticker.advance(Duration.ofSeconds(29));
    assertThat(one.runOnce()).isEqualTo(Duration.ofSeconds(1));
    assertThat(one.quarantined()).isNotEmpty();
    ticker.advance(Duration.ofSeconds(1));
    assertThat(one.runOnce()).isEqualTo(Loop.UNTIL_WOKEN);
    assertThat(told).containsExactly("freed");

    lackResources(one, 1);
    assertThat(one.quarantined()).as("the trial failed").isNotEmpty();
    assertThat(one.runOnce()).isEqualTo(Duration.ofSeconds(60));
    ticker.advance(Duration.ofSeconds(60));
    one.runOnce();
    Slot slot = one.tryTake(1, "").orElseThrow();
    one.recordSuccess(slot);
    one.free(slot);
    lackResources(one, 2);
    assertThat(one.quarantined()).as("all is forgotten").isEmpty();
  }

  @Test
  void whenAQuarantineBeginsAndEndsIsTold() {
    SlotPool one = pool(Map.of("cuda:0", 1));
    List<List<String>> seen = new ArrayList<>();
    one.whenQuarantineChanged(() -> seen.add(one.quarantined()));
    lackResources(one, 2);
    assertThat(seen).isEmpty();
    lackResources(one, 1);
    ticker.advance(Duration.ofSeconds(30));
    one.runOnce();
    assertThat(seen).containsExactly(List.of("cuda:0/0"), List.of());
  }

  @Test
  void aRunGoesWhereItsModelIsLoadedThenWhereNothingIsThenWhereAModelWasNotUsedForLongest() {
    SlotPool devices = pool(new LinkedHashMap<>(Map.of("a", 2, "b", 1)));
    List<Slot> slots = new ArrayList<>();
    for (String model : List.of("kokoro", "melo", "bark")) {
      slots.add(devices.tryTake(1, model).orElseThrow());
      ticker.advance(Duration.ofSeconds(1));
    }
    assertThat(slots).as("nothing was lost").doesNotHaveDuplicates();
    slots.forEach(devices::free);
    assertThat(devices.freeModels()).containsExactlyInAnyOrder("kokoro", "melo", "bark");

    assertThat(devices.tryTake(1, "melo")).contains(slots.get(1));
    devices.free(slots.get(1));
    assertThat(devices.tryTake(1, "xtts")).as("in the place of kokoro").contains(slots.get(0));
    devices.free(slots.get(0));
    assertThat(devices.tryTake(1, "xtts")).contains(slots.get(0));
    assertThat(devices.freeModels()).containsExactlyInAnyOrder("melo", "bark");
  }

  @Test
  void whatNeedsNoModelLosesNoneAndALackOfResourcesLosesIt() {
    SlotPool one = pool(Map.of("a", 1));
    one.free(one.tryTake(1, "kokoro").orElseThrow());
    Slot slot = one.tryTake(1, "").orElseThrow();
    one.free(slot);
    assertThat(one.freeModels()).containsExactly("kokoro");
    slot = one.tryTake(1, "kokoro").orElseThrow();
    one.recordResourceFailure(slot);
    one.free(slot);
    assertThat(one.freeModels()).containsExactly(LoadedModel.NONE);
  }

  @Test
  void aRunOfSeveralPlacesLoadsItsModelOnAllOfThem() {
    SlotPool wide = pool(Map.of("a", 3));
    wide.free(wide.tryTake(1, "small").orElseThrow());
    Slot slot = wide.tryTake(2, "large").orElseThrow();
    wide.free(slot);
    assertThat(wide.freeModels()).containsExactly("small", "large", "large");
    assertThat(wide.tryTake(2, "large")).contains(slot);
  }

  @Test
  void aModelThatIsUsedOftenAndForLongHasHadItsTurn() {
    SlotPool one = pool(Map.of("a", 1));
    for (int run = 1; run < 20; run++) {
      one.free(one.tryTake(1, "kokoro").orElseThrow());
    }
    ticker.advance(Duration.ofSeconds(59));
    assertThat(one.isTurnOver()).as("long, but not often").isFalse();
    Slot slot = one.tryTake(1, "kokoro").orElseThrow();
    assertThat(one.isTurnOver()).as("there is no free place").isFalse();
    one.free(slot);
    assertThat(one.isTurnOver()).isTrue();

    one.beginNextTurn();
    assertThat(one.isTurnOver()).isFalse();
    for (int run = 0; run < 20; run++) {
      one.free(one.tryTake(1, "kokoro").orElseThrow());
    }
    assertThat(one.isTurnOver()).as("often, but not long").isFalse();
    ticker.advance(Duration.ofSeconds(10));
    assertThat(one.isTurnOver()).isTrue();
    one.free(one.tryTake(1, "melo").orElseThrow());
    assertThat(one.isTurnOver()).as("another has the turn").isFalse();
  }

  @Test
  void aModelOfLongRunsHasHadItsTurnAfterAMinute() {
    SlotPool one = pool(Map.of("a", 1));
    Slot slot = one.tryTake(1, "kokoro").orElseThrow();
    ticker.advance(Duration.ofSeconds(59));
    one.free(slot);
    assertThat(one.isTurnOver()).isFalse();
    ticker.advance(Duration.ofSeconds(1));
    assertThat(one.isTurnOver()).isTrue();

    one.beginNextTurn();
    ticker.advance(Duration.ofHours(1));
    assertThat(one.isTurnOver()).as("nobody has used it since").isFalse();
  }
}
