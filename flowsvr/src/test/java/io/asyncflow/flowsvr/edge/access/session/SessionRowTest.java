package io.asyncflow.flowsvr.edge.access.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When a session ends. */
class SessionRowTest {

  private static final long BEGIN = 5_000_000;

  private long now = BEGIN;

  private SessionRow row =
      SessionRow.begin(SessionId.random(), "key:3Qm81LtzGh", null, now, Long.MAX_VALUE);

  private void pass(Duration time) {
    now += time.toMillis();
  }

  private void use() {
    row =
        new SessionRow(
            row.idHash(), row.principal(), row.granted(), row.createTime(), row.expireTime(), now);
  }

  @Test
  void sessionEndsAfterHalfAnHourWithoutUse() {
    pass(Duration.ofMinutes(30).minusMillis(1));
    assertThat(row.isLive(now)).isTrue();
    use();
    pass(Duration.ofMinutes(30).minusMillis(1));
    assertThat(row.isLive(now)).isTrue();
    pass(Duration.ofMillis(1));
    assertThat(row.isLive(now)).isFalse();
  }

  @Test
  void sessionEndsAfterEightHoursHoweverMuchItIsUsed() {
    while (now - BEGIN < Duration.ofHours(8).toMillis()) {
      assertThat(row.isLive(now)).isTrue();
      use();
      pass(Duration.ofMinutes(20));
    }
    assertThat(row.isLive(now)).isFalse();
  }

  @Test
  void useIsWrittenOnceAMinute() {
    pass(Duration.ofSeconds(59));
    assertThat(row.isToBeMarked(now)).isFalse();
    pass(Duration.ofSeconds(1));
    assertThat(row.isToBeMarked(now)).isTrue();
  }

  @Test
  void nothingThatIsPrintedHasTheId() {
    SessionId id = SessionId.random();
    assertThat(id.toString()).isEqualTo("session:" + id.name()).doesNotContain(id.text());
    assertThat(id.csrfToken()).isNotEqualTo(id.text()).hasSize(43);
    assertThat(SessionId.parse(id.text()).orElseThrow().csrfToken()).isEqualTo(id.csrfToken());
  }
}
