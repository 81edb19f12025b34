package io.asyncflow.flowsvr.access.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.rules.access.AccessKey;
import io.asyncflow.rules.access.AccessKeyRow;
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
    return AccessKeyRow.of(key, "fleet", "WORKER", "*", "*", "*", "", "local", 0, NOW + 1);
  }

  private static KnownKey known(AccessKeyRow row) {
    return KnownKey.of(row, new KnownKey.Use()).orElseThrow();
  }

  @Test
  void everyOutcomeCostsOneDigestAndOneComparison() {
    AccessKey wrong = new AccessKey(key.id(), AccessKey.random().secret());
    assertThat(check.check(key, known(row()), NOW)).isNotNull();
    assertThat(check.check(key, null, NOW)).isNull();
    assertThat(check.check(wrong, known(row()), NOW)).isNull();
    assertThat(check.check(wrong, known(row().revoked(1, "")), NOW)).isNull();
    assertThat(check.check(wrong, known(row()), NOW + 1)).isNull();
    assertEnded("revoked", known(row().revoked(1, "")), NOW);
    assertEnded("expired", known(row()), NOW + 1);

    assertThat(check.calls).hasSize(14);
    for (int i = 0; i < check.calls.size(); i += 2) {
      assertThat(check.calls.subList(i, i + 2)).containsExactly("digest", "compare 32 with 32");
    }
  }

  private void assertEnded(String how, KnownKey ended, long now) {
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> check.check(key, ended, now))
        .withMessage("your key has been " + how)
        .extracting(FlowException::errorCode)
        .isEqualTo(ErrorCode.KEY_ENDED);
  }
}
