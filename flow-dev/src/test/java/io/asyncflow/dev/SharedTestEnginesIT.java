package io.asyncflow.dev;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class SharedTestEnginesIT {

  @Test
  void everySchemaIsNewAndEmpty() throws Exception {
    String first = TestEngines.newSchema("flow");
    String second = TestEngines.newSchema("flow");
    assertThat(first).startsWith("flow_").isNotEqualTo(second);

    DatabaseEndpoint endpoint = TestEngines.database();
    try (Connection connection =
            DriverManager.getConnection(
                endpoint.jdbcUrl(second), endpoint.user(), endpoint.password());
        ResultSet tables = connection.createStatement().executeQuery("SHOW TABLES")) {
      assertThat(tables.next()).isFalse();
    }
  }

  @Test
  void enginesAreSharedByTheWholeJvm() {
    assertThat(TestEngines.database()).isEqualTo(TestEngines.database());
    assertThat(TestEngines.redis()).isSameAs(TestEngines.redis());
    assertThat(LoopbackPort.answersPing(TestEngines.redis().port())).isTrue();
  }
}
