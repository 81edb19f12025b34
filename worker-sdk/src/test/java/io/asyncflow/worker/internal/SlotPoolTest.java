package io.asyncflow.worker.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.worker.Slot;
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
    return new SlotPool(devices, ticker, new Bell());
  }

  @Test
  void devicesTakeTurns() {
    List<String> devices = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      devices.add(pool.tryTake(1).orElseThrow().device());
    }
    assertThat(devices.subList(0, 2)).containsExactlyInAnyOrder("a", "b");
    assertThat(devices.subList(2, 4)).containsExactlyInAnyOrder("a", "b");
    assertThat(pool.tryTake(1)).isEmpty();
  }

  @Test
  void noSlotIsLentTwice() {
    List<Slot> taken = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      taken.add(pool.tryTake(1).orElseThrow());
    }
    assertThat(taken).doesNotHaveDuplicates();
    pool.giveBack(taken.get(2));
    assertThat(pool.tryTake(1)).contains(taken.get(2));
    assertThat(pool.free()).isZero();
    assertThat(pool.total()).isEqualTo(4);
  }

  @Test
  void whoWaitsIsTold() {
    List<String> told = new ArrayList<>();
    pool.whenFreed(() -> told.add("freed"));
    pool.giveBack(pool.tryTake(1).orElseThrow());
    assertThat(told).containsExactly("freed");
  }

  @Test
  void freePlacesAreCountedByDevice() {
    SlotPool devices = pool(Map.of("a", 1, "b", 2));
    Slot taken = devices.tryTake(1).orElseThrow();
    assertThat(devices.freeByDevice())
        .isEqualTo(taken.device().equals("a") ? Map.of("a", 0, "b", 2) : Map.of("a", 1, "b", 1));
  }

  @Test
  void aRunMayTakeSeveralPlacesOfOneDevice() {
    SlotPool devices = pool(Map.of("gpu", 4));
    Slot large = devices.tryTake(2).orElseThrow();
    assertThat(large.places()).isEqualTo(2);
    devices.tryTake(1).orElseThrow();
    assertThat(devices.fits(1)).isEqualTo(1);
    assertThat(devices.tryTake(2)).as("one place is left").isEmpty();
    devices.giveBack(large);
    assertThat(devices.fits(2)).isEqualTo(1);
    assertThat(pool.tryTake(3)).as("two places on each of two devices").isEmpty();
  }

  private void lackResources(SlotPool places, int times) {
    for (int i = 0; i < times; i++) {
      Slot slot = places.tryTake(1).orElseThrow();
      places.lacked(slot);
      places.giveBack(slot);
    }
  }

  @Test
  void threeLacksInARowPutAPlaceInQuarantine() {
    SlotPool one = pool(Map.of("cuda:0", 1));
    lackResources(one, 2);
    Slot slot = one.tryTake(1).orElseThrow();
    one.sufficed(slot);
    one.giveBack(slot);
    lackResources(one, 2);
    assertThat(one.quarantined()).as("a run between them went well").isEmpty();
    lackResources(one, 1);
    assertThat(one.quarantined()).containsExactly("cuda:0/0");
    assertThat(one.tryTake(1)).isEmpty();
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
    assertThat(one.runOnce()).isEqualTo(Loop.UNTIL_RUNG);
    assertThat(told).containsExactly("freed");

    lackResources(one, 1);
    assertThat(one.quarantined()).as("the trial failed").isNotEmpty();
    assertThat(one.runOnce()).isEqualTo(Duration.ofSeconds(60));
    ticker.advance(Duration.ofSeconds(60));
    one.runOnce();
    Slot slot = one.tryTake(1).orElseThrow();
    one.sufficed(slot);
    one.giveBack(slot);
    lackResources(one, 2);
    assertThat(one.quarantined()).as("all is forgotten").isEmpty();
  }
}
