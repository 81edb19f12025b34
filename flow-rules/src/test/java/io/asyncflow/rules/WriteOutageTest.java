package io.asyncflow.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WriteOutageTest {

  /** Two intervals of heartbeats are 20 s. */
  private static final Duration LEASE = Duration.ofSeconds(30);

  private static final long LEASE_MS = LEASE.toMillis();
  private static final long GRACE_MS = 20_000;
  private static final long BEAT_MS = LEASE_MS / 3;
  private static final long SERVERS_BEAT_MS = 3_000;

  private static long sweptUntil(long now, WriteOutage... outages) {
    return WriteOutage.sweptUntil(List.of(outages), LEASE, now);
  }

  @Test
  void withoutAnOutageEveryLeaseThatRanOutIsSwept() {
    assertThat(sweptUntil(100_000)).isEqualTo(100_000);
  }

  @Test
  void leasesThatRanOutInAnOutageAreSweptAfterTwoHeartbeatIntervals() {
    WriteOutage outage = new WriteOutage(100_000, 145_000);
    assertThat(sweptUntil(145_000, outage)).isEqualTo(100_000);
    assertThat(sweptUntil(164_999, outage)).isEqualTo(100_000);
    assertThat(sweptUntil(165_000, outage)).isEqualTo(165_000);
  }

  @Test
  void laterOutageRenewsNoGrace() {
    WriteOutage first = new WriteOutage(100_000, 145_000);
    WriteOutage second = new WriteOutage(148_000, 156_000);
    assertThat(sweptUntil(164_999, first, second)).as("the grace of the first").isEqualTo(100_000);
    assertThat(sweptUntil(165_000, first, second))
        .as("what ran out since then has the grace of the second")
        .isEqualTo(165_000);
    assertThat(sweptUntil(175_000, first, second)).isEqualTo(165_000);
  }

  @Test
  void leaseThatRanOutBehindTheGraceHasTheGraceOfTheNextOutage() {
    WriteOutage first = new WriteOutage(100_000, 145_000);
    WriteOutage second = new WriteOutage(148_000, 200_000);
    assertThat(sweptUntil(219_999, first, second)).isEqualTo(165_000);
    assertThat(sweptUntil(220_000, first, second)).isEqualTo(220_000);
  }

  @Test
  void outageOfTheFutureAfterAJumpOfTheClockSweepsNothingOfTheFuture() {
    assertThat(sweptUntil(50_000, new WriteOutage(100_000, 145_000))).isEqualTo(50_000);
  }

  /** The rule by its definition: the first outage until whose grace a lease ran out decides. */
  @Test
  void isTheSameAsToLookForTheOutageOfEachLease() {
    Random random = new Random(20_261_130);
    int spared = 0;
    for (int round = 0; round < 20_000; round++) {
      List<WriteOutage> outages = new ArrayList<>();
      long time = 0;
      for (int i = random.nextInt(6); i > 0; i--) {
        long start = time + random.nextInt(30_000);
        time = start + 6_000 + random.nextInt(40_000);
        outages.add(new WriteOutage(start, time));
      }
      long now = time + random.nextInt(30_000);
      long leaseEnd = random.nextLong(now + 1);
      boolean isSpared =
          outages.stream()
              .filter(outage -> leaseEnd <= outage.end() + GRACE_MS)
              .findFirst()
              .filter(outage -> leaseEnd > outage.start() && now < outage.end() + GRACE_MS)
              .isPresent();
      assertThat(leaseEnd > WriteOutage.sweptUntil(outages, LEASE, now))
          .as("round %s: a lease until %s at %s after %s", round, leaseEnd, now, outages)
          .isEqualTo(isSpared);
      spared += isSpared ? 1 : 0;
    }
    assertThat(spared).isBetween(2_000, 18_000);
  }

  /**
   * Workers that beat at a third of the lease and never sooner, while outages come and go; between
   * two of them there is time for a beat.
   */
  @Test
  void sweepAtAnyTimeSparesTheLivingAndFindsTheDeadWithinALease() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      List<WriteOutage> outages = new ArrayList<>();
      long phase = random.nextLong(BEAT_MS);
      long death = 60_000 + random.nextLong(600_000);
      long heard = phase;
      long heardOfDead = phase;
      long downFrom = 20_000 + random.nextLong(100_000);
      long downUntil = downFrom + 6_000 + random.nextLong(120_000);
      long deadFoundAt = 0;
      for (long now = 0; deadFoundAt == 0 || now < 700_000; now += 50) {
        boolean isDown = downFrom <= now && now < downUntil;
        if (!isDown && now >= downUntil) {
          outages.add(new WriteOutage(downFrom - downFrom % SERVERS_BEAT_MS, now));
          downFrom = now + BEAT_MS + random.nextLong(60_000);
          downUntil = downFrom + 6_000 + random.nextLong(120_000);
        }
        if (isDown) {
          continue;
        }
        if (now >= phase && (now - phase) % BEAT_MS < 50) {
          heard = now;
          heardOfDead = now < death ? now : heardOfDead;
        }
        long swept = Math.min(now, WriteOutage.sweptUntil(outages, LEASE, now));
        assertThat(heard + LEASE_MS)
            .as("seed %s at %s: the living, after %s", seed, now, outages)
            .isGreaterThan(swept);
        if (deadFoundAt == 0 && heardOfDead + LEASE_MS <= swept) {
          deadFoundAt = now;
        }
      }
      long ranOut = heardOfDead + LEASE_MS;
      long foundAt = deadFoundAt;
      long due =
          outages.stream()
              .filter(outage -> outage.end() <= foundAt)
              .filter(outage -> ranOut <= outage.end() + GRACE_MS)
              .findFirst()
              .filter(outage -> ranOut > outage.start())
              .map(outage -> outage.end() + GRACE_MS)
              .orElse(ranOut);
      assertThat(
              foundAt - due < 50
                  || outages.stream()
                      .anyMatch(outage -> outage.start() <= due && foundAt == outage.end()))
          .as("seed %s: due at %s, found at %s, after %s", seed, due, foundAt, outages)
          .isTrue();
      assertThat(foundAt).isGreaterThanOrEqualTo(due);
    }
  }
}
