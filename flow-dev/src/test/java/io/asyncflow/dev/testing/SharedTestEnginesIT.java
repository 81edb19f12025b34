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
class SharedTestEnginesIT {

  @Test
  void everySchemaIsNewAndEmpty() throws Exception {
    String first = TestEngines.newSchema("flow");
    String second = TestEngines.newSchema("flow");
    assertThat(first).startsWith("flow_").isNotEqualTo(second);

    try (Connection connection = TestEngines.database().connect(second);
        ResultSet tables = connection.createStatement().executeQuery("SHOW TABLES")) {
      assertThat(tables.next()).isFalse();
    }
  }

  @Test
  void enginesAreSharedByTheWholeJvm() {
    assertThat(TestEngines.database()).isEqualTo(TestEngines.database());
    assertThat(TestEngines.redis()).isSameAs(TestEngines.redis());
    assertThat(LoopbackPort.answersPing(TestEngines.redis().port(), TestEngines.redis().password()))
        .isTrue();
  }
}
