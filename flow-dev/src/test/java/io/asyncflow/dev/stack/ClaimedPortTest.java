package io.asyncflow.dev.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.dev.host.LoopbackPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

class ClaimedPortTest {

  @Test
  void portThatAnotherLauncherIsAboutToUseIsTaken() {
    try (ClaimedPort first = ClaimedPort.of(LoopbackPort.free())) {
      assertThatThrownBy(() -> ClaimedPort.of(first.number()))
          .hasMessage("Port %d on 127.0.0.1 is taken: choose another with --port.", first.number());
      try (ClaimedPort other = ClaimedPort.preferring(first.number())) {
        assertThat(other.number()).isNotEqualTo(first.number());
      }
    }
  }

  @Test
  void portThatSomebodyListensOnIsTaken() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
        ClaimedPort other = ClaimedPort.preferring(taken.getLocalPort())) {
      assertThat(other.number()).isNotEqualTo(taken.getLocalPort());
    }
  }

  @Test
  void portThatWasFreedCanBeClaimedAgain() {
    int number;
    try (ClaimedPort first = ClaimedPort.of(LoopbackPort.free())) {
      number = first.number();
    }
    try (ClaimedPort again = ClaimedPort.of(number)) {
      assertThat(again.number()).isEqualTo(number);
    }
  }
}
