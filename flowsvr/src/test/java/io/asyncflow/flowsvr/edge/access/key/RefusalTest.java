package io.asyncflow.flowsvr.edge.access.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.rules.access.AccessKey;
import io.asyncflow.rules.access.AccessKeyRow;
import io.asyncflow.rules.access.AccessKeyRow.Limits;
import io.asyncflow.rules.access.AccessKeyRow.Rights;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who sends a key learns from the answer, and from its time, what its secret allows him to. */
class RefusalTest {

  private static final long NOW = 1_000;

  private final AccessKey key = AccessKey.random();
  private final CountingCheck check = new CountingCheck();

  /** Notes the costly calls. */
  private static final class CountingCheck extends KeyCheck {

    private final List<String> calls = new ArrayList<>();

    @Override
    byte[] digest(AccessKey sent) {
      calls.add("digest");
      return super.digest(sent);
    }

    @Override
    boolean isEqual(byte[] one, byte[] other) {
      calls.add("compare " + one.length + " with " + other.length);
      return super.isEqual(one, other);
    }
  }

  private AccessKeyRow row() {
    return AccessKeyRow.of(key, "fleet", Rights.everywhere("WORKER"), "local", 0, NOW + 1);
  }

  private static KnownKey known(AccessKeyRow row) {
    return KnownKey.of(row, null, 0).orElseThrow();
  }

  @Test
  void everyOutcomeCostsOneDigestAndOneComparison() {
    AccessKey wrong = new AccessKey(key.id(), AccessKey.random().secret());
    assertThat(check.check(key, known(row()), List::of, NOW)).isNotNull();
    assertThat(check.check(key, null, List::of, NOW)).isNull();
    assertThat(check.check(wrong, known(row()), List::of, NOW)).isNull();
    assertThat(check.check(wrong, known(row().revoked(1, "")), List::of, NOW)).isNull();
    assertThat(check.check(wrong, known(row()), List::of, NOW + 1)).isNull();
    assertRefused("has been revoked", known(row().revoked(1, "")), NOW);
    assertRefused("has expired", known(row()), NOW + 1);
    assertRefused("is not live yet", known(row().limited(new Limits(null, 0, NOW + 1))), NOW);
    assertRefused(
        "is good only with", known(row().limited(new Limits("spiffe://acme/gpu", 0, 0))), NOW);

    assertThat(check.calls).hasSize(18);
    for (int i = 0; i < check.calls.size(); i += 2) {
      assertThat(check.calls.subList(i, i + 2)).containsExactly("digest", "compare 32 with 32");
    }
  }

  private void assertRefused(String why, KnownKey refused, long now) {
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> check.check(key, refused, () -> List.of("spiffe://acme/cpu"), now))
        .withMessageContaining(why)
        .extracting(FlowException::errorCode)
        .isEqualTo(ErrorCode.KEY_ENDED);
  }
}
