package io.asyncflow.flowsvr.edge.access.refusal;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.base.system.Node;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class RefusedRequestsTest {

  private static final String ADDRESS = "192.0.2.7";

  private Duration now = Duration.ZERO;
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final RefusedRequests refused =
      new RefusedRequests(
          new Node() {
            @Override
            public long nanoTime() {
              return now.toNanos();
            }
          },
          meters);

  private void passSeconds(int seconds) {
    now = now.plusSeconds(seconds);
  }

  private void useUpTheTriesOf(String address) {
    for (int i = 0; i < RefusedRequests.TRIES_A_MINUTE; i++) {
      assertThat(refused.countTry(address, Refusal.NO_KEY)).isZero();
    }
  }

  @Test
  void addressIsTurnedAwayForAMinuteAfterItsTries() {
    useUpTheTriesOf(ADDRESS);

    passSeconds(20);
    assertThat(refused.countTry(ADDRESS, Refusal.NO_KEY)).isEqualTo(Duration.ofSeconds(40));
    passSeconds(39);
    assertThat(refused.countTry(ADDRESS, Refusal.NO_KEY)).isEqualTo(Duration.ofSeconds(1));
    passSeconds(1);
    useUpTheTriesOf(ADDRESS);
    assertThat(refused.countTry(ADDRESS, Refusal.NO_KEY)).isPositive();
    assertThat(refused.countTry("192.0.2.8", Refusal.NO_KEY)).isZero();
  }

  @Test
  void newMinuteBringsNewTriesButEndsNoBan() {
    useUpTheTriesOf(ADDRESS);
    refused.countTry("192.0.2.8", Refusal.NO_KEY);
    passSeconds(30);
    refused.runOnce();

    assertThat(refused.countTry(ADDRESS, Refusal.NO_KEY)).isEqualTo(Duration.ofSeconds(30));
    useUpTheTriesOf("192.0.2.8");
  }

  @Test
  void networkOfAnIpv6AddressIsOne() {
    useUpTheTriesOf("2001:db8:1:2:0:0:0:1");

    assertThat(refused.countTry("2001:db8:1:2:ffff:0:0:9", Refusal.NO_KEY)).isPositive();
    assertThat(refused.countTry("2001:db8:1:3:0:0:0:1", Refusal.NO_KEY)).isZero();
  }

  @Test
  void forgedAddressesAreLookedUpNowhereAndCountAsOne(CapturedOutput output) {
    for (int i = 0; i < RefusedRequests.TRIES_A_MINUTE; i += 2) {
      assertThat(refused.countTry("n" + i + ":x.invalid", Refusal.NO_KEY)).isZero();
      assertThat(refused.countTry("n" + i + ".invalid", Refusal.NO_KEY)).isZero();
    }

    assertThat(refused.countTry("fe80::1:no-address", Refusal.NO_KEY)).isPositive();
    refused.runOnce();
    assertThat(output.getOut()).contains("other addresses").doesNotContain("invalid");
  }

  @Test
  void eachAddressIsALineAMinuteWithItsCount(CapturedOutput output) {
    for (int i = 0; i < 40; i++) {
      refused.countTry(ADDRESS, Refusal.NO_KEY);
    }
    refused.countTry("2001:db8:1:2:0:0:0:1", Refusal.NO_KEY);
    refused.runOnce();
    refused.runOnce();

    assertThat(output.getOut().lines())
        .hasSize(2)
        .anyMatch(
            line ->
                line.contains(
                    "requests refused from 192.0.2.7 in the last minute: 40 without a valid key"))
        .anyMatch(
            line -> line.contains("from 2001:db8:1:2:0:0:0:0/64 in the last minute: 1 without"));
    assertThat(meters.counter("asyncflow.access.refused", "reason", "no-key").count())
        .isEqualTo(41);
  }

  @Test
  void whoHasManyAddressesFillsNeitherMemoryNorLog(CapturedOutput output) {
    for (int i = 0; i < 70_000; i++) {
      refused.countTry("10.0." + i / 256 + "." + i % 256, Refusal.NO_KEY);
    }
    assertThat(refused.countTry("10.9.9.9", Refusal.NO_KEY)).as("one of too many").isPositive();
    refused.runOnce();

    assertThat(output.getOut().lines()).hasSize(21).last().asString().contains("more addresses");
  }

  @Test
  void otherRefusalsAreCountedByReasonAndTurnNobodyAway(CapturedOutput output) {
    for (int i = 0; i < 100; i++) {
      refused.count(ADDRESS, Refusal.VERB);
    }
    refused.count(ADDRESS, Refusal.SCOPE);

    assertThat(refused.countTry(ADDRESS, Refusal.KEY_ENDED)).isZero();
    refused.runOnce();
    assertThat(output.getOut())
        .contains(
            "1 with a key that is not valid now, 100 without the verb, 1 outside of the key's scope");
    assertThat(meters.counter("asyncflow.access.refused", "reason", "verb").count()).isEqualTo(100);
  }
}
