package io.asyncflow.flowsvr.access.chain;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.system.Node;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class RefusedKeysTest {

  private static final String ADDRESS = "192.0.2.7";

  private Duration now = Duration.ZERO;
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final RefusedKeys refused =
      new RefusedKeys(
          new Node() {
            @Override
            public long nanoTime() {
              return now.toNanos();
            }
          },
          meters,
          new AccessProperties(null, "", null, null, null));

  private void passSeconds(int seconds) {
    now = now.plusSeconds(seconds);
  }

  private void useUpTheTriesOf(String address) {
    for (int i = 0; i < RefusedKeys.TRIES_A_MINUTE; i++) {
      assertThat(refused.note(address)).isZero();
    }
  }

  @Test
  void addressIsTurnedAwayForAMinuteAfterItsTries() {
    useUpTheTriesOf(ADDRESS);

    passSeconds(20);
    assertThat(refused.note(ADDRESS)).isEqualTo(Duration.ofSeconds(40));
    passSeconds(39);
    assertThat(refused.note(ADDRESS)).isEqualTo(Duration.ofSeconds(1));
    passSeconds(1);
    useUpTheTriesOf(ADDRESS);
    assertThat(refused.note(ADDRESS)).isPositive();
    assertThat(refused.note("192.0.2.8")).isZero();
  }

  @Test
  void newMinuteBringsNewTriesButEndsNoBan() {
    useUpTheTriesOf(ADDRESS);
    refused.note("192.0.2.8");
    passSeconds(30);
    refused.runOnce();

    assertThat(refused.note(ADDRESS)).isEqualTo(Duration.ofSeconds(30));
    useUpTheTriesOf("192.0.2.8");
  }

  @Test
  void networkOfAnIpv6AddressIsOne() {
    useUpTheTriesOf("2001:db8:1:2:0:0:0:1");

    assertThat(refused.note("2001:db8:1:2:ffff:0:0:9")).isPositive();
    assertThat(refused.note("2001:db8:1:3:0:0:0:1")).isZero();
  }

  @Test
  void forgedAddressesAreLookedUpNowhereAndCountAsOne(CapturedOutput output) {
    for (int i = 0; i < RefusedKeys.TRIES_A_MINUTE; i += 2) {
      assertThat(refused.note("n" + i + ":x.invalid")).isZero();
      assertThat(refused.note("n" + i + ".invalid")).isZero();
    }

    assertThat(refused.note("fe80::1:no-address")).isPositive();
    refused.runOnce();
    assertThat(output.getOut()).contains("other addresses").doesNotContain("invalid");
  }

  @Test
  void eachAddressIsALineAMinuteWithItsCount(CapturedOutput output) {
    for (int i = 0; i < 40; i++) {
      refused.note(ADDRESS);
    }
    refused.note("2001:db8:1:2:0:0:0:1");
    refused.runOnce();
    refused.runOnce();

    assertThat(output.getOut().lines())
        .hasSize(2)
        .anyMatch(
            line ->
                line.contains(
                    "without a valid key from 192.0.2.7 in the last minute, all refused: 40"))
        .anyMatch(
            line ->
                line.contains("from 2001:db8:1:2:0:0:0:0/64 in the last minute, all refused: 1"));
    assertThat(meters.counter("asyncflow.access.refused").count()).isEqualTo(41);
  }

  @Test
  void whoHasManyAddressesFillsNeitherMemoryNorLog(CapturedOutput output) {
    for (int i = 0; i < 70_000; i++) {
      refused.note("10.0." + i / 256 + "." + i % 256);
    }
    assertThat(refused.note("10.9.9.9")).as("one of too many").isPositive();
    refused.runOnce();

    assertThat(output.getOut().lines()).hasSize(21).last().asString().contains("more addresses");
  }
}
