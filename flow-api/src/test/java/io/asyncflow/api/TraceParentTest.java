package io.asyncflow.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class TraceParentTest {

  private static final String TEXT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  @Test
  void namesTheTraceAndTheSpan() {
    TraceParent parent = TraceParent.parse(TEXT).orElseThrow();
    assertThat(parent.traceId()).isEqualTo("0af7651916cd43dd8448eb211c80319c");
    assertThat(parent.spanId()).isEqualTo("b7ad6b7169203331");
    assertThat(parent).hasToString(TEXT);
  }

  @Test
  void saysWhetherTheCallerRecords() {
    assertThat(TraceParent.parse(TEXT)).get().matches(TraceParent::isSampled);
    for (String flags : new String[] {"00", "02", "fe"}) {
      assertThat(TraceParent.parse(TEXT.substring(0, 53) + flags))
          .get()
          .matches(p -> !p.isSampled());
    }
  }

  @Test
  void isMadeOfTheIdsOfASpan() {
    String trace = "0af7651916cd43dd8448eb211c80319c";
    assertThat(TraceParent.of(trace, "b7ad6b7169203331", true)).get().hasToString(TEXT);
    assertThat(TraceParent.of("8448eb211c80319c", "b7ad6b7169203331", false))
        .get()
        .hasToString("00-00000000000000008448eb211c80319c-b7ad6b7169203331-00");
    assertThat(TraceParent.of("0".repeat(32), "0".repeat(16), false)).isEmpty();
    assertThat(TraceParent.of("", "", true)).isEmpty();
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "",
        "x",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\nx"
      })
  void whatHasAnotherFormIsNone(String text) {
    assertThat(TraceParent.parse(text)).isEmpty();
    assertThatIllegalArgumentException().isThrownBy(() -> new TraceParent(text));
  }
}
