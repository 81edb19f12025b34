package io.asyncflow.dev.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimeTextTest {

  private final TimeText times = new TimeText(ZoneOffset.UTC);

  @Test
  void aDurationMayBeLong() {
    assertThat(TimeText.parseDuration("36500d")).isEqualTo(Duration.ofDays(36_500));
    assertThat(times.parse("9999-12-31").toEpochMilli()).isPositive();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"999999999999d", "9223372036854775807s", "-9223372036854775807s", "99999999d"})
  void aDurationThatNoNumberOfMillisecondsHasIsNone(String text) {
    assertThatThrownBy(() -> TimeText.parseDuration(text)).isInstanceOf(DateTimeException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"+999999999-12-31", "-999999999-01-01T00:00", "+999999999-12-31T23:59Z"})
  void aTimeThatNoNumberOfMillisecondsHasIsNone(String text) {
    assertThatThrownBy(() -> times.parse(text)).isInstanceOf(DateTimeException.class);
  }
}
