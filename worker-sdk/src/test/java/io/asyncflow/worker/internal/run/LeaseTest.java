package io.asyncflow.worker.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeaseTest {

  private static final long START = Duration.ofHours(1).toNanos();
  private static final TypeLimits LIMITS =
      new TypeLimits(100, Duration.ofSeconds(10), Duration.ofSeconds(60), Duration.ofSeconds(30));

  private static long after(double seconds) {
    return START + (long) (seconds * 1_000_000_000L);
  }

  @Test
  void aFreshLeaseCountsFromTheStartOfTheRequest() {
    Lease lease = Lease.held(START, 30_000L, LIMITS);
    assertThat(lease.trustedUntil()).isEqualTo(after(29.75));
    assertThat(lease.hardEnd()).isEqualTo(after(60));
    assertThat(lease.startBy()).isEqualTo(after(30));
    assertThat(lease.renewAt()).isEqualTo(after(6));
  }

  @Test
  void aLeaseThatWasShortenedMeanwhileIsNoOldOne() {
    Lease lease = Lease.held(START, 5_000L, LIMITS);
    assertThat(lease.hardEnd()).isEqualTo(after(60));
    assertThat(lease.renewAt()).isEqualTo(after(1));
  }

  @Test
  void theInterruptComesBeforeTheReportAndBothBeforeTheServersEnd() {
    Lease lease = Lease.held(START, 30_000L, LIMITS);
    assertThat(lease.deadline()).isEqualTo(after(59));
    assertThat(lease.reportBy()).isEqualTo(after(59.5));
    Lease last = lease.renewed(after(55), 5_000);
    assertThat(last.trustedUntil()).isGreaterThan(last.reportBy()).isLessThan(last.hardEnd());
  }

  @Test
  void marginsShrinkWithShortTimes() {
    TypeLimits brief =
        new TypeLimits(100, Duration.ofSeconds(1), Duration.ofSeconds(3), Duration.ofSeconds(3));
    Lease lease = Lease.held(START, 3_000L, brief);
    assertThat(lease.deadline()).isEqualTo(after(2.7));
    assertThat(lease.reportBy()).isEqualTo(after(2.85));
    assertThat(lease.trustedUntil()).isEqualTo(after(2.94));
  }

  @Test
  void aRenewalMovesTheTrustAndNotTheHardEnd() {
    Lease lease = Lease.held(START, 30_000L, LIMITS).renewed(after(6), 30_000);
    assertThat(lease.trustedUntil()).isEqualTo(after(35.75));
    assertThat(lease.hardEnd()).isEqualTo(after(60));
    assertThat(lease.renewAt()).isEqualTo(after(12));
  }

  @Test
  void aLeaseThatWasMadeShorterIsRenewedAtItsNewPace() {
    Lease lease = Lease.held(START, 30_000L, LIMITS).renewed(after(6), 5_000);
    assertThat(lease.trustedUntil()).isEqualTo(after(10.9));
    assertThat(lease.renewAt()).isEqualTo(after(7));
    assertThat(lease.renewed(after(7), 30_000).renewAt()).as("longer again").isEqualTo(after(13));
  }

  @Test
  void whatTheHardEndLeavesOfALeaseIsNotRenewedMoreOften() {
    Lease lease = Lease.held(START, 30_000L, LIMITS).renewed(after(50), 10_000);
    assertThat(lease.renewAt()).isEqualTo(after(56));
    Lease slowAnswer = lease.renewed(after(56), 2_500); // 1.5 s under way
    assertThat(slowAnswer.renewAt()).isEqualTo(after(56.5));
    assertThat(slowAnswer.renewed(after(58.4), 100).renewalInterval())
        .isEqualTo(Duration.ofMillis(200));
  }

  @Test
  void aLeaseThatAnAnswerDoesNotRenewIsTriedAtItsPaceAndMoreOftenBeforeItsEnd() {
    Lease lease = Lease.held(START, 30_000L, LIMITS).notRenewed(after(6.5));
    assertThat(lease.renewAt()).isEqualTo(after(12.5));
    assertThat(lease.notRenewed(after(25.75)).renewAt()).isEqualTo(after(27.75));
    assertThat(lease.notRenewed(after(29.75)).renewAt()).as("it is over").isEqualTo(after(35.75));
    assertThat(lease.notRenewed(after(29.75)).trustedUntil()).isEqualTo(after(29.75));
  }

  @Test
  void inAnOutageALeaseIsTrustedBeyondItsEndAndNeverBeyondTheHardEnd() {
    Lease lease = Lease.held(START, 30_000L, LIMITS);
    Lease patient = lease.trustedFor(Duration.ofSeconds(20));
    assertThat(patient.trustedUntil()).isEqualTo(after(49.75));
    assertThat(patient.notRenewed(after(29.75)).trustedUntil()).isEqualTo(after(49.75));
    assertThat(lease.trustedFor(Duration.ofMinutes(5)).trustedUntil()).isEqualTo(after(60));
    assertThat(patient.renewed(after(40), 20_000).trustedUntil()).isEqualTo(after(59.75));
    assertThat(patient.trustedFor(Duration.ZERO)).isEqualTo(lease);
    Lease last = lease.renewed(after(55), 5_000);
    assertThat(last.trustedFor(Duration.ofMinutes(5)).trustedUntil()).isEqualTo(after(60));
  }

  @Test
  void aRenewalRaisesAHardEndThatWasTooCautious() {
    // Parked for 9 s: the hold is younger than its request, but the worker cannot know.
    Lease lease = Lease.held(START, 30_000L, LIMITS).renewed(after(40), 29_000);
    assertThat(lease.hardEnd()).isEqualTo(after(69));
  }

  @Test
  void theAgeOfARepeatedHoldIsKnownFromWhatItsLeaseLacks() {
    Lease lease = Lease.heldBefore(START, 10_000L, LIMITS);
    assertThat(lease.trustedUntil()).isEqualTo(after(9.75));
    assertThat(lease.hardEnd()).as("held 20 s ago").isEqualTo(after(40));
    assertThat(lease.renewAt()).isEqualTo(after(6));
  }

  @Test
  void anAnswerThatWasParkedForLongIsStale() {
    Lease lease = Lease.held(START, 30_000L, LIMITS);
    assertThat(lease.stale(after(10))).isFalse();
    assertThat(lease.stale(after(15))).isTrue();
  }

  @Test
  void aMissingLeaseIsAFullOne() {
    assertThat(Lease.held(START, null, LIMITS)).isEqualTo(Lease.held(START, 30_000L, LIMITS));
  }
}
