package io.asyncflow.worker.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.worker.Slot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SlotPoolTest {

  private final SlotPool pool = new SlotPool(new LinkedHashMap<>(Map.of("a", 2, "b", 2)));

  @Test
  void devicesTakeTurns() {
    List<String> devices = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      devices.add(pool.tryTake().orElseThrow().device());
    }
    assertThat(devices.subList(0, 2)).containsExactlyInAnyOrder("a", "b");
    assertThat(devices.subList(2, 4)).containsExactlyInAnyOrder("a", "b");
    assertThat(pool.tryTake()).isEmpty();
  }

  @Test
  void noSlotIsLentTwice() {
    List<Slot> taken = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      taken.add(pool.tryTake().orElseThrow());
    }
    assertThat(taken).doesNotHaveDuplicates();
    pool.giveBack(taken.get(2));
    assertThat(pool.tryTake()).contains(taken.get(2));
    assertThat(pool.free()).isZero();
    assertThat(pool.total()).isEqualTo(4);
  }

  @Test
  void whoWaitsIsTold() {
    List<String> told = new ArrayList<>();
    pool.whenFreed(() -> told.add("freed"));
    pool.giveBack(pool.tryTake().orElseThrow());
    assertThat(told).containsExactly("freed");
  }

  @Test
  void freePlacesAreCountedByDevice() {
    SlotPool devices = new SlotPool(Map.of("a", 1, "b", 2));
    Slot taken = devices.tryTake().orElseThrow();
    assertThat(devices.freeByDevice())
        .isEqualTo(taken.device().equals("a") ? Map.of("a", 0, "b", 2) : Map.of("a", 1, "b", 1));
  }
}
