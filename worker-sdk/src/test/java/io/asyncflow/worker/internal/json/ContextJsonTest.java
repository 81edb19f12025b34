package io.asyncflow.worker.internal.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.worker.NonRetryableException;
import org.junit.jupiter.api.Test;

class ContextJsonTest {

  record Order(String name, int copies, boolean urgent, Integer limit) {}

  @Test
  void whatARecordHasGainedIsAbsentInTheContextsOfTheVersionBefore() {
    assertThat(ContextJson.read("{\"name\":\"x\"}", Order.class))
        .isEqualTo(new Order("x", 0, false, null));
  }

  @Test
  void whatARecordHasLostIsIgnored() {
    assertThat(ContextJson.read("{\"name\":\"x\",\"copies\":2,\"old\":[1]}", Order.class))
        .isEqualTo(new Order("x", 2, false, null));
  }

  @Test
  void whatIsOfAnotherTypeIsNeverReadable() {
    assertThatExceptionOfType(NonRetryableException.class)
        .isThrownBy(() -> ContextJson.read("{\"copies\":\"many\"}", Order.class));
  }
}
