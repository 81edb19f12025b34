package io.asyncflow.flowsvr.edge.access.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.flowsvr.base.system.BadSettingException;
import io.asyncflow.flowsvr.edge.access.chain.AccessProperties.Mode;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class AccessPropertiesTest {

  private static final String KEY = "correct-horse";

  private static AccessProperties with(String key, InetAddress address) {
    return new AccessProperties(null, key, address, null, null);
  }

  @Test
  void modeFollowsFromTheKey() {
    assertThat(with(null, null).mode()).isEqualTo(Mode.LOCAL);
    assertThat(with(" ", null).mode()).isEqualTo(Mode.LOCAL);
    assertThat(with(KEY, null).mode()).isEqualTo(Mode.KEY);
  }

  @Test
  void docsAreServedLocallyUnlessASettingSaysOtherwise() {
    assertThat(with("", null).docs()).isTrue();
    assertThat(with(KEY, null).docs()).isFalse();
    assertThat(new AccessProperties(null, KEY, null, null, true).docs()).isTrue();
    assertThat(new AccessProperties(null, "", null, null, false).docs()).isFalse();
  }

  @Test
  void withoutAKeyOnlyLoopbackIsListenedTo() throws Exception {
    InetAddress everywhere = InetAddress.getByName("0.0.0.0");
    InetAddress loopback = InetAddress.getByName("127.0.0.2");

    assertThat(with("", null).listenAddress().isLoopbackAddress()).isTrue();
    assertThat(with(" ", loopback).listenAddress()).isEqualTo(loopback);
    assertThatThrownBy(() -> with(null, everywhere).listenAddress())
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining("FLOW_API_KEY");
    assertThat(with(KEY, null).listenAddress()).isNull();
    assertThat(with(KEY, everywhere).listenAddress()).isEqualTo(everywhere);
  }

  @Test
  void textOfTheSettingsDoesNotContainTheKey() {
    assertThat(with(KEY, null).toString()).contains("KEY").doesNotContain(KEY);
  }
}
