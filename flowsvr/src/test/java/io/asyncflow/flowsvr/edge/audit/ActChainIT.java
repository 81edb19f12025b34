package io.asyncflow.flowsvr.edge.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.environment.ActVerifier;
import io.asyncflow.dev.environment.ActVerifier.Link;
import io.asyncflow.dev.environment.ActVerifier.Verdict;
import io.asyncflow.dev.testing.TestServices;
import io.asyncflow.flowsvr.FlowServer;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What is done to the record by SQL is found, on a server with a database of its own. */
@Tag("contract")
class ActChainIT {

  private static final Duration NOW = Duration.ofMillis(-1_000);
  private static final Duration YEAR = Duration.ofDays(365);

  private static final DatabaseEndpoint DATABASE = TestServices.database();
  private static final String SCHEMA = TestServices.newSchema("acts");

  private static ConfigurableApplicationContext server;
  private static JdbcClient jdbc;
  private static Acts acts;
  private static ActChaining chaining;
  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "FLOW_MYSQL_URL",
          DATABASE.jdbcUrl(SCHEMA),
          "FLOW_MYSQL_USER",
          DATABASE.user(),
          "FLOW_MYSQL_PASSWORD",
          DATABASE.password());
  private static final ActVerifier VERIFIER = new ActVerifier(ENVIRONMENT);

  @BeforeAll
  static void start() {
    server =
        new SpringApplication(FlowServer.class)
            .run(
                "--server.port=0",
                "--flow.store.dir=" + RunningServer.STORE,
                "--flow.governance.sweep-interval=1h",
                "--flow.governance.cleaning-interval=1h",
                "--spring.datasource.url=" + DATABASE.jdbcUrl(SCHEMA),
                "--spring.datasource.username=" + DATABASE.user(),
                "--spring.datasource.password=" + DATABASE.password());
    jdbc = server.getBean(JdbcClient.class);
    acts = server.getBean(Acts.class);
    chaining = server.getBean(ActChaining.class);
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  /** Ten acts with their links, each different. */
  @BeforeEach
  void record() {
    jdbc.sql("DELETE FROM t_act_chain").update();
    jdbc.sql("DELETE FROM t_act").update();
    addActs(10);
    chaining.runOnce(NOW);
  }

  private static void addActs(int count) {
    for (int i = 0; i < count; i++) {
      acts.record(Act.of("PAUSE", "schedule:ä" + i).with(Map.of("i", i)));
    }
  }

  private static long id(int index) {
    return jdbc.sql("SELECT id FROM t_act ORDER BY id LIMIT 1 OFFSET ?")
        .param(index)
        .query(Long.class)
        .single();
  }

  private static Verdict verify() {
    return VERIFIER.verify(YEAR, null);
  }

  private static void assertFault(long id, String words) {
    assertThat(verify().fault()).startsWith("Act " + id + " ").contains(words);
  }

  @Test
  void recordThatNobodyTouchedIsWhole() {
    addActs(2);
    Verdict verdict = verify();
    assertThat(verdict.fault()).isNull();
    assertThat(verdict.verified()).isEqualTo(10);
    assertThat(verdict.waiting()).isEqualTo(2);
    assertThat(verdict.last().id()).isEqualTo(id(9));
    assertThat(chaining.runOnce(NOW)).isEqualTo(2);
    assertThat(chaining.runOnce(NOW)).isZero();
    assertThat(verify().verified()).isEqualTo(12);
  }

  @Test
  void actsWaitUntilNoTransactionCanCommitAnEarlierOne() {
    addActs(3);
    assertThat(chaining.runOnce(Duration.ofSeconds(100))).isZero();
    jdbc.sql("UPDATE t_act SET act_time = act_time - 101000 WHERE id = ?").param(id(11)).update();
    assertThat(chaining.runOnce(Duration.ofSeconds(100)))
        .as("the one before it is younger")
        .isZero();
  }

  @Test
  void changeOfAnyColumnIsFound() {
    List<String> changes =
        List.of(
            "act_time = act_time + 1",
            "act = 'RESUME'",
            "object = 'schedule:1'",
            "task_id = '1_lark_task_1'",
            "operator = 'ann'",
            "reason = 'none'",
            "actor = 'key:0123456789'",
            "actor_ip = x'7F000001'",
            "source = 'api'",
            "status_before = 1",
            "status_after = 2",
            "new_task_id = '2_lark_task_1'",
            "detail = NULL",
            "trace_id = REPEAT('0', 32)");
    for (String change : changes) {
      record();
      jdbc.sql("UPDATE t_act SET " + change + " WHERE id = ?").param(id(4)).update();
      assertFault(id(4), "is not what was recorded");
    }
  }

  @Test
  void actThatWasDeletedIsMissed() {
    for (int index : new int[] {0, 5, 9}) {
      record();
      long id = id(index);
      jdbc.sql("DELETE FROM t_act WHERE id = ?").param(id).update();
      assertFault(id, "is missing");
    }
  }

  @Test
  void commandNamesTheActThatWasDeleted() throws Exception {
    long id = id(5);
    assertThat(auditVerify()).contains("10 acts are as they were recorded.").endsWith("rc=0");
    jdbc.sql("DELETE FROM t_act WHERE id = ?").param(id).update();
    assertThat(auditVerify()).contains("Act " + id + " is missing.").endsWith("rc=1");
  }

  /** What {@code ./asyncflow audit verify} says, and its exit code. */
  private static String auditVerify() throws Exception {
    ProcessBuilder command =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            "io.asyncflow.dev.command.DevLauncher",
            "audit",
            "verify");
    command.environment().putAll(ENVIRONMENT);
    Process process = command.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return said + "rc=" + process.waitFor();
  }

  @Test
  void actsThatChangedPlacesAreFound() {
    long one = id(3);
    long other = id(6);
    jdbc.sql("UPDATE t_act SET id = 0 WHERE id = ?").param(one).update();
    jdbc.sql("UPDATE t_act SET id = ? WHERE id = ?").params(one, other).update();
    jdbc.sql("UPDATE t_act SET id = ? WHERE id = 0").param(other).update();
    assertFault(one, "is not what was recorded");
  }

  @Test
  void actThatWasAddedBetweenOthersIsFound() {
    long id = id(3);
    jdbc.sql("DELETE FROM t_act_chain WHERE to_id = ?").param(id).update();
    assertFault(id, "was added");
  }

  @Test
  void chainThatWasMadeAnewIsFoundByALinkThatWasKept() {
    Link kept = verify().last();
    addActs(3);
    chaining.runOnce(NOW);
    assertThat(VERIFIER.verify(YEAR, kept).fault()).isNull();
    assertThat(VERIFIER.verify(YEAR, Link.parse(kept.toString())).fault()).isNull();

    jdbc.sql("UPDATE t_act SET actor = 'local' WHERE id = ?").param(id(2)).update();
    jdbc.sql("DELETE FROM t_act_chain").update();
    chaining.runOnce(NOW);

    assertThat(verify().fault()).as("without a link from elsewhere").isNull();
    assertThat(VERIFIER.verify(YEAR, kept).fault()).contains("together with the chain");
    jdbc.sql("DELETE FROM t_act_chain WHERE to_id >= ?").param(kept.id()).update();
    assertThat(VERIFIER.verify(YEAR, kept).fault()).contains("is missing");
  }

  @Test
  void oldActsAreDeletedInPagesAndTheOthersStayVerifiable() {
    addActs(1_200);
    chaining.runOnce(NOW);
    jdbc.sql("UPDATE t_act_chain SET close_time = close_time - ? WHERE to_id < ?")
        .params(Duration.ofDays(366).toMillis(), id(1_205))
        .update();
    addActs(3);

    assertThat(chaining.deleteOld()).isEqualTo(1_205);
    assertThat(chaining.deleteOld()).isZero();

    Verdict verdict = verify();
    assertThat(verdict.fault()).isNull();
    assertThat(verdict.verified()).isEqualTo(5);
    assertThat(verdict.waiting()).as("acts without a link stay").isEqualTo(3);
    long first = id(0);
    jdbc.sql("DELETE FROM t_act WHERE id = ?").param(first).update();
    assertFault(first, "is missing");
  }
}
