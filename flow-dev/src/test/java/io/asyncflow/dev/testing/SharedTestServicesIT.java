package io.asyncflow.dev.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.dev.host.LoopbackPort;
import java.sql.Connection;
import java.sql.ResultSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@Tag("contract")
class SharedTestServicesIT {

  @Test
  void everySchemaIsNewAndEmpty() throws Exception {
    String first = TestServices.newSchema("flow");
    String second = TestServices.newSchema("flow");
    assertThat(first).startsWith("flow_").isNotEqualTo(second);

    try (Connection connection = TestServices.database().connect(second);
        ResultSet tables = connection.createStatement().executeQuery("SHOW TABLES")) {
      assertThat(tables.next()).isFalse();
    }
  }

  @Test
  void servicesAreSharedByTheWholeJvm() {
    assertThat(TestServices.database()).isEqualTo(TestServices.database());
    assertThat(TestServices.redis()).isSameAs(TestServices.redis());
    assertThat(
            LoopbackPort.answersPing(TestServices.redis().port(), TestServices.redis().password()))
        .isTrue();
  }
}
