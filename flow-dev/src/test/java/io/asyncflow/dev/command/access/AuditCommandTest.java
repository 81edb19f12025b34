package io.asyncflow.dev.command.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.dev.command.ScriptedServer;
import io.asyncflow.dev.command.option.Terminal;
import java.io.IOException;
import java.time.ZoneId;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The command against a server that says what a test wants; flowsvr's ActChainIT verifies. */
@Timeout(60)
class AuditCommandTest {
  private ScriptedServer server;

  @BeforeEach
  void start() throws IOException {
    server =
        new ScriptedServer(
            (environment, out) ->
                new Object[] {
                  new AuditCommand(
                      new Terminal(environment, out, System.err, ZoneId.of("Europe/Berlin")))
                });
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void actsAreATable() {
    server.answers(
        """
        {"actList":[{"id":4711,"time":1795399200000,"act":"SAVE","object":"type:lark",
          "actor":"key:3Qm81LtzGh","actorIp":"10.0.3.7","source":"api","operator":"ann",
          "reason":"too slow","detail":{"before":{"max_executing":0},"after":{"max_executing":7}},
          "traceId":"406524cb85eb3c98d785a8f195b7c167"}],"nextCursor":"1795399200000-4711"}
        """);
    assertThat(run("list", "--object", "type:lark", "--act", "SAVE", "--limit", "1")).isZero();
    assertThat(server.printed())
        .containsExactly(
            "TIME                       ACT   OBJECT     ACTOR           FROM      OPERATOR  REASON",
            "2026-11-23 03:00:00+01:00  SAVE  type:lark  key:3Qm81LtzGh  10.0.3.7  ann       too slow",
            "Go on with --cursor 1795399200000-4711");
    assertThat(server.asked)
        .containsExactly("audit/list {\"object\":\"type:lark\",\"act\":\"SAVE\",\"limit\":1}");
  }

  @Test
  void noActsAreALine() {
    server.answers("{\"actList\":[]}");
    assertThat(run("list", "--actor", "key:0123456789")).isZero();
    assertThat(server.printed()).containsExactly("There are no such acts.");
  }

  @Test
  void verifyNeedsTheDatabase() {
    assertThat(run("verify")).isEqualTo(2);
    assertThat(server.errors())
        .anyMatch(line -> line.contains("verify needs the database: set FLOW_MYSQL_URL"));
  }

  @Test
  void whatIsNotUnderstoodIsTwo() {
    assertThat(run("list", "--last", "soon")).isEqualTo(2);
    assertThat(run("verify", "--expect", "4711")).isEqualTo(2);
    assertThat(server.errors())
        .contains(
            "asyncflow: --last wants a time such as 30s or 2d, not soon.",
            "asyncflow: --expect wants a link as verify prints it, not 4711.");
  }

  private int run(String... arguments) {
    return server.run(
        Stream.concat(Stream.of("audit"), Stream.of(arguments)).toArray(String[]::new));
  }
}
