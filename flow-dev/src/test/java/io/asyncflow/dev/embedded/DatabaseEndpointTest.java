package io.asyncflow.dev.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.dev.UsageException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseEndpointTest {

  @Test
  void givenDatabaseIsNamedByItsUrlAndTheEnvironment() {
    DatabaseEndpoint given =
        DatabaseEndpoint.given(
            "jdbc:mysql://db.example:3307/any?x=y",
            Map.of("FLOW_MYSQL_USER", "me", "FLOW_MYSQL_PASSWORD", "secret"));

    assertThat(given)
        .isEqualTo(new DatabaseEndpoint("given", "db.example", 3307, "me", "secret"))
        .asString()
        .contains("db.example:3307")
        .doesNotContain("secret");
    assertThat(given.jdbcUrl("own"))
        .startsWith("jdbc:mysql://db.example:3307/own?")
        .contains("createDatabaseIfNotExist=true")
        .doesNotContain("x=y");
  }

  /** A statement that makes the schema with each connection would stop each node of Galera. */
  @Test
  void urlOfSeveralHostsMakesNoSchema() {
    DatabaseEndpoint given = DatabaseEndpoint.given("mysql://one:1,two,[::1]:3/any", Map.of());

    assertThat(given.hosts()).containsExactly("one:1", "two:3306", "[::1]:3");
    assertThat(given.jdbcUrl("own"))
        .startsWith("jdbc:mysql://one:1,two:3306,[::1]:3/own?")
        .doesNotContain("createDatabaseIfNotExist");
    assertThat(given.urls("own")).hasSize(3).allMatch(url -> url.contains("/own?"));
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1,127.0.0.1", "[::1],[::1]"})
  void oneHostIsTakenApart(String host, String expected) {
    DatabaseEndpoint one = new DatabaseEndpoint("any", host, 3306, "root", "");

    assertThat(one.host()).isEqualTo(expected);
    assertThat(one.port()).isEqualTo(3306);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost:3306",
        "jdbc:postgresql://localhost/x",
        "jdbc:mysql:",
        "a b",
        "jdbc:mysql://one,,two",
        "jdbc:mysql://me:secret@one"
      })
  void anotherUrlThanMySqlsIsRefused(String url) {
    assertThatThrownBy(() -> DatabaseEndpoint.given(url, Map.of()))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining(url);
  }
}
