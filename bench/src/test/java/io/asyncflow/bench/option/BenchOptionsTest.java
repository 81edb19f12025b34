package io.asyncflow.bench.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.dev.embedded.DatabaseEndpoint;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

class BenchOptionsTest {

  @Test
  void withoutOptionsAllPartsAreRunWithoutPeersOnTheEmbeddedMySql() {
    BenchOptions options = parse("");

    assertThat(options.database()).isEqualTo(DatabaseChoice.MYSQL8);
    assertThat(options.parts()).containsExactly(Part.values());
    assertThat(options.peers()).isFalse();
    assertThat(options.backlog()).isEqualTo(2_000_000);
    assertThat(options.lives()).isEqualTo(50_000);
    assertThat(options.creates()).isEqualTo(25_000);
    assertThat(options.arrivals()).isEqualTo(100);
    assertThat(options.holds()).isEqualTo(150);
    assertThat(options.snapshot()).hasSeconds(15);
    assertThat(options.idleWorkers()).isEqualTo(200);
    assertThat(options.fleet()).isBetween(1_000, 10_000); // by the limit of open files
    assertThat(options.fleetSeconds()).isEqualTo(60);
    assertThat(options.types()).isEqualTo(200);
    assertThat(options.typeStarts()).isEqualTo(50);
    assertThat(options.typeWait()).hasSeconds(10);
    assertThat(options.schedules()).isEqualTo(100_000);
    assertThat(options.fires()).isEqualTo(5_000);
    assertThat(options.fireLead()).hasSeconds(50);
    assertThat(options.rounds()).isEqualTo(3);
    assertThat(options.soak()).hasMinutes(2);
    assertThat(options.beforeDrop()).hasSeconds(20);
    assertThat(options.seenWorkers()).isEqualTo(1_000);
    assertThat(options.seenChildren()).isEqualTo(100_000);
    assertThat(options.viewers()).isEqualTo(50);
    assertThat(options.overviewRest()).hasSeconds(31);
  }

  @Test
  void aTinyNStillHasSomethingOfEverything() {
    BenchOptions options = parse("--n 1 --rounds 1");

    assertThat(options.lives()).isEqualTo(1);
    assertThat(options.creates()).isEqualTo(1);
    assertThat(options.arrivals()).isEqualTo(5);
    assertThat(options.idleWorkers()).isEqualTo(5);
    assertThat(options.idleSeconds()).isEqualTo(1);
    assertThat(options.fleet()).isEqualTo(6);
    assertThat(options.fleetSeconds()).isEqualTo(1);
    assertThat(options.types()).isEqualTo(5);
    assertThat(options.typeStarts()).isEqualTo(5);
    assertThat(options.typeWait()).hasSeconds(1);
    assertThat(options.schedules()).isEqualTo(100);
    assertThat(options.fires()).isEqualTo(5);
    assertThat(options.fireLead()).hasSeconds(8);
    assertThat(options.seenWorkers()).isEqualTo(5);
    assertThat(options.seenChildren()).isEqualTo(100);
    assertThat(options.viewers()).isEqualTo(5);
  }

  @Test
  void soakLastsAsLongAsIsWanted() {
    assertThat(parse("--only soak --minutes 20").soak()).hasMinutes(20);
    assertThat(parse("--smoke").soak()).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void partsAreRunInTheirOwnOrder() {
    assertThat(parse("--peers --only latency,lives").parts())
        .containsExactly(Part.LIVES, Part.LATENCY);
  }

  @Test
  void aSmokeTestHasSomethingOfEverything() {
    BenchOptions options = parse("--smoke --peers");

    assertThat(options.smoke()).isTrue();
    assertThat(options.parts()).containsExactly(Part.values());
    assertThat(options.rounds()).isEqualTo(1);
    assertThat(options.lives()).isEqualTo(100);
    assertThat(options.backlog()).isEqualTo(2_000);
  }

  @Test
  void whatIsAskedForComesBeforeTheLittleOfASmokeTest() {
    assertThat(parse("--n 200 --smoke").lives()).isEqualTo(200);
    assertThat(parse("--smoke --rounds 2").rounds()).isEqualTo(2);
  }

  @Test
  void optionsOfTheServersJvmAreSeparatedBySpaces() {
    BenchOptions options = new BenchOptions(Map.of());
    new CommandLine(options).parseArgs("--server-jvm", "-Xmx2g  -XX:+UseZGC");
    assertThat(options.serverJvm()).containsExactly("-Xmx2g", "-XX:+UseZGC");
  }

  @ParameterizedTest
  @CsvSource({"20,20", "10k,10000", "10M,10000000"})
  void rowsAreCountedInThousandsAndMillions(String text, int rows) {
    assertThat(parse("--backlog " + text).backlog()).isEqualTo(rows);
  }

  @Test
  void aGivenDatabaseIsNamedByItsUrlAndTheEnvironment() {
    BenchOptions options =
        parse(
            Map.of("FLOW_MYSQL_USER", "me", "FLOW_MYSQL_PASSWORD", "secret"),
            "--mysql jdbc:mysql://db.example:3307/any?x=y");

    DatabaseEndpoint database = options.given();
    assertThat(options.database()).isEqualTo(DatabaseChoice.GIVEN);
    assertThat(database.hosts()).containsExactly("db.example:3307");
    assertThat(database.user()).isEqualTo("me");
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
        "--backlog 2m",
        "--backlog 0",
        "--minutes 0",
        "--mariadb --mysql jdbc:mysql://localhost",
        "lives"
      })
  void whatCannotBeUnderstoodIsSaid(String line) {
    assertThatThrownBy(() -> parse(line)).isInstanceOf(ParameterException.class);
  }

  private static BenchOptions parse(String line) {
    return parse(Map.of(), line);
  }

  private static BenchOptions parse(Map<String, String> environment, String line) {
    BenchOptions options = new BenchOptions(environment);
    new CommandLine(options).parseArgs(line.isEmpty() ? new String[0] : line.split(" "));
    return options;
  }
}
