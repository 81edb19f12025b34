package io.asyncflow.flowsvr.edge.web.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConnectionsTest {

  private static final long MIB = 1024 * 1024;

  @Test
  void thirdOfTheHeapIsForConnectionsUpToABound() {
    assertThat(Connections.forHeap(192 * MIB)).isEqualTo(819);
    assertThat(Connections.forHeap(512 * MIB)).isEqualTo(2_184);
    assertThat(Connections.forHeap(1_024 * MIB)).isEqualTo(4_369);
    assertThat(Connections.forHeap(4_096 * MIB)).isEqualTo(8_192);
    assertThat(Connections.forHeap(1)).isEqualTo(1);
  }

  @Test
  void settingWins() {
    assertThat(new Connections(10_000, 512 * MIB).limit()).isEqualTo(10_000);
    assertThat(new Connections(-1, 512 * MIB).limit()).isEqualTo(-1);
    assertThat(new Connections(null, 512 * MIB).limit()).isEqualTo(2_184);
  }

  @Test
  void aboveFourFifthsTheyAreScarce() {
    Connections ten = new Connections(10, MIB);
    assertThat(ten.isScarce(8)).isFalse();
    assertThat(ten.isScarce(9)).isTrue();
    assertThat(new Connections(-1, MIB).isScarce(1_000_000)).isFalse();
  }
}
