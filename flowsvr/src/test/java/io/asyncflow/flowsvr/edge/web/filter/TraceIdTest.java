package io.asyncflow.flowsvr.edge.web.filter;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

class TraceIdTest {

  private final MockHttpServletRequest request = new MockHttpServletRequest();

  @Test
  void callersTraceGoesOn() {
    request.addHeader("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    assertThat(TraceId.of(request)).isEqualTo("0af7651916cd43dd8448eb211c80319c");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\nx"
      })
  void whatIsNoTraceIsNotTakenOver(String traceparent) {
    request.addHeader("traceparent", traceparent);
    assertThat(TraceId.of(request)).matches("[0-9a-f]{32}").doesNotContain("0af765");
  }

  @Test
  void requestKeepsItsId() {
    assertThat(TraceId.of(request)).isEqualTo(TraceId.of(request));
  }
}
