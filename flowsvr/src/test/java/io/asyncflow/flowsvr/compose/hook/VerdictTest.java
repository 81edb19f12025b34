package io.asyncflow.flowsvr.compose.hook;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.compose.hook.Verdict.Kind;
import io.asyncflow.flowsvr.compose.hook.egress.HookAnswer;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerdictTest {

  @ParameterizedTest
  @CsvSource({
    "200, DELIVERED",
    "204, DELIVERED",
    "299, DELIVERED",
    "301, FAILED",
    "302, FAILED",
    "400, FAILED",
    "404, FAILED",
    "410, GONE",
    "429, FAILED",
    "500, FAILED",
    "503, FAILED"
  })
  void statusDecides(int status, Kind kind) {
    assertThat(Verdict.of(answer(status, Optional.empty(), "")).kind()).isEqualTo(kind);
  }

  @Test
  void pauseThatTheEndpointAsksForIsHeardUpToAnHour() {
    assertThat(answered(Duration.ofSeconds(7)).retryAfterMs()).isEqualTo(7_000);
    assertThat(answered(Duration.ofDays(7)).retryAfterMs()).isEqualTo(3_600_000);
    assertThat(Verdict.of(answer(503, Optional.empty(), "")).retryAfterMs()).isNull();
  }

  private static Verdict answered(Duration retryAfter) {
    return Verdict.of(answer(503, Optional.of(retryAfter), ""));
  }

  @Test
  void errorShowsTheBeginningOfTheAnswer() {
    assertThat(Verdict.of(answer(500, Optional.empty(), "out of\r\n\u0000order ")).error())
        .isEqualTo("answered 500: out of order");
    assertThat(Verdict.of(answer(500, Optional.empty(), "😀".repeat(300))).error())
        .isEqualTo("answered 500: " + "😀".repeat(200));
    assertThat(Verdict.of(new IOException("no answer in 10 s")).error())
        .isEqualTo("no answer in 10 s");
  }

  private static HookAnswer answer(int status, Optional<Duration> retryAfter, String text) {
    return new HookAnswer(status, retryAfter, text);
  }
}
