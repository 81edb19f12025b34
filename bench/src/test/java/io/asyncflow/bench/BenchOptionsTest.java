package io.asyncflow.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.bench.BenchDatabase.Engine;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BenchOptionsTest {

  @Test
  void withoutOptionsAllContestsAreHeldOnTheEmbeddedMariaDb() {
    BenchOptions options = parse("");

    assertThat(options.engine()).isEqualTo(Engine.MARIADB);
    assertThat(options.contests()).containsExactlyInAnyOrder("lives", "creates", "latency");
    assertThat(options.lives()).isEqualTo(20_000);
    assertThat(options.creates()).isEqualTo(10_000);
    assertThat(options.arrivals()).isEqualTo(200);
    assertThat(options.rounds()).isEqualTo(3);
  }

  @Test
  void aTinyNStillHasSomethingOfEverything() {
    BenchOptions options = parse("--n 1 --rounds 1");

    assertThat(options.lives()).isEqualTo(1);
    assertThat(options.creates()).isEqualTo(1);
    assertThat(options.arrivals()).isEqualTo(10);
  }

  @Test
  void aGivenDatabaseIsNamedByItsUrlAndTheEnvironment() {
    BenchOptions options =
        BenchOptions.parse(
            List.of("--mysql", "jdbc:mysql://db.example:3307/any?x=y"),
            Map.of("FLOW_MYSQL_USER", "me", "FLOW_MYSQL_PASSWORD", "secret"));

    BenchDatabase database =
        BenchDatabase.given(options.mysqlUrl(), options.mysqlUser(), options.mysqlPassword());

    assertThat(options.engine()).isEqualTo(Engine.GIVEN);
    assertThat(database.endpoint().host()).isEqualTo("db.example");
    assertThat(database.endpoint().port()).isEqualTo(3307);
    assertThat(database.endpoint().user()).isEqualTo("me");
    assertThat(database.pid()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--n",
        "--n 0",
        "--n -5",
        "--n many",
        "--rounds 1.5",
        "--only all",
        "--peers",
        "lives"
      })
  void whatCannotBeUnderstoodIsSaid(String line) {
    assertThatThrownBy(() -> parse(line)).isInstanceOf(UsageException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost:3306", "jdbc:postgresql://localhost/x", "jdbc:mysql:", "a b"})
  void anotherUrlThanMySqlsIsRefused(String url) {
    assertThatThrownBy(() -> BenchDatabase.given(url, "root", ""))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining(url);
  }

  private static BenchOptions parse(String line) {
    return BenchOptions.parse(
        line.isEmpty() ? List.of() : List.of(line.split(" ")), Map.<String, String>of());
  }
}
