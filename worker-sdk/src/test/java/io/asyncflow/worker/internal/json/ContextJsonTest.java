package io.asyncflow.worker.internal.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.asyncflow.worker.NonRetryableException;
import java.util.List;
import java.util.concurrent.TimeUnit;
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

  /** A worker of the next version may read it, while that rolls out. */
  @Test
  void whatIsOfAnotherTypeIsTriedAgain() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ContextJson.read("{\"copies\":\"many\"}", Order.class))
        .withMessageStartingWith("the context cannot be read as " + Order.class.getName());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ContextJson.read("\"HOURS_OF_THE_MOON\"", TimeUnit.class));
  }

  @Test
  void whatIsNotJsonIsNeverReadable() {
    for (String text : List.of("{", "<html>", "{\"copies\":1")) {
      assertThatExceptionOfType(NonRetryableException.class)
          .as(text)
          .isThrownBy(() -> ContextJson.read(text, Order.class));
    }
  }
}
