package io.asyncflow.dev.command.fleet;

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

/** The command against a server that says what a test wants. */
@Timeout(60)
class HookCommandTest {
  private static final String NOBODY = "http://127.0.0.1:1";
  private static final String URL = "https://hooks.example.com/in";

  private ScriptedServer server;

  @BeforeEach
  void start() throws IOException {
    server =
        new ScriptedServer(
            (environment, out) ->
                new Object[] {
                  new HookCommand(
                      new Terminal(environment, out, System.err, ZoneId.of("Europe/Berlin")))
                });
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void hooksAreATable() {
    server.answers(
        """
        {"hookList":[
          {"hookId":"7","name":"crm","url":"%1$s","taskTypes":["lark"],"kinds":["POISON","FAILED"],
           "state":"ACTIVE","cursor":"42","failSince":1795399200000,"lastError":"answered 503 \\u001b[31m",
           "createTime":1,"modifyTime":2},
          {"hookId":"8","name":"all","url":"%1$s","taskTypes":[],"kinds":[],"state":"DISABLED",
           "cursor":"0","createTime":1,"modifyTime":2}]}
        """
            .formatted(URL));
    assertThat(run("list")).isZero();
    assertThat(server.printed())
        .containsExactly(
            "NAME  STATE     URL                           TYPES  KINDS          FAILS SINCE"
                + "                LAST ERROR",
            "crm   ACTIVE    https://hooks.example.com/in  lark   FAILED,POISON  2026-11-23"
                + " 03:00:00+01:00  answered 503 \uFFFD[31m",
            "all   DISABLED  https://hooks.example.com/in  all    all            -");
  }

  @Test
  void aServerMayHaveNone() {
    server.answers("{\"hookList\":[]}");
    assertThat(run("list")).isZero();
    assertThat(server.printed()).containsExactly("There are no hooks.");
  }

  @Test
  void aNewHookShowsItsSecret() {
    server.answers("{\"hookId\":\"7\",\"secret\":\"whsec_abc\"}");
    assertThat(
            run(
                "save",
                "crm",
                URL,
                "--type",
                "lark",
                "--kind",
                "failed",
                "--state",
                "paused",
                "--operator",
                "ann",
                "--reason",
                "to see failures"))
        .isZero();
    assertThat(server.printed()).containsExactly("whsec_abc");
    assertThat(server.asked)
        .containsExactly(
            "hook/save {\"name\":\"crm\",\"url\":\""
                + URL
                + "\",\"taskTypes\":[\"lark\"],\"kinds\":[\"FAILED\"],\"state\":\"PAUSED\","
                + "\"operator\":\"ann\",\"reason\":\"to see failures\"}");
  }

  @Test
  void aHookThatExistsKeepsItsSecret() {
    server.answers("{\"hookId\":\"7\"}");
    assertThat(run("save", "crm", URL, "--operator", "ann")).isZero();
    assertThat(server.printed()).containsExactly("Changed.");
    assertThat(server.asked)
        .containsExactly(
            "hook/save {\"name\":\"crm\",\"url\":\""
                + URL
                + "\",\"taskTypes\":[],\"kinds\":[],\"operator\":\"ann\"}");
  }

  @Test
  void actsNameTheHookAndTheirOperator() {
    server.answers("{\"taskId\":\"1_flow_webhook_task_1\"}");
    server.answers("{\"hookId\":\"7\",\"secret\":\"whsec_def\"}");
    assertThat(run("test", "crm")).isZero();
    assertThat(run("rotate", "crm", "--operator", "ann", "--reason", "leaked")).isZero();
    assertThat(run("delete", "crm", "--operator", "ann")).isZero();
    assertThat(server.printed()).containsExactly("1_flow_webhook_task_1", "whsec_def", "Deleted.");
    assertThat(server.asked)
        .containsExactly(
            "hook/test {\"name\":\"crm\"}",
            "hook/rotate {\"name\":\"crm\",\"operator\":\"ann\",\"reason\":\"leaked\"}",
            "hook/delete {\"name\":\"crm\",\"operator\":\"ann\"}");
  }

  @Test
  void answersArePrintedAsJson() {
    String saved = "{\"hookId\":\"7\",\"secret\":\"whsec_abc\"}";
    server.answers(saved);
    server.answers(saved);
    server.answers("{\"taskId\":\"1_flow_webhook_task_1\"}");
    assertThat(run("save", "crm", URL, "--json")).isZero();
    assertThat(run("rotate", "crm", "--json")).isZero();
    assertThat(run("test", "crm", "--json")).isZero();
    assertThat(server.printed())
        .containsExactly(saved, saved, "{\"taskId\":\"1_flow_webhook_task_1\"}");
  }

  @Test
  void whatTheServerRefusesFails() {
    server.refuses(8039, "there is no hook crm");
    assertThat(run("test", "crm")).isEqualTo(1);
    assertThat(server.errors()).containsExactly("asyncflow: there is no hook crm (8039)");
  }

  @Test
  void aServerThatIsNotThereIsThree() {
    assertThat(run("list", "--url", NOBODY)).isEqualTo(3);
    assertThat(server.errors()).singleElement().asString().contains("refuses the connection");
  }

  @Test
  void whatIsNotUnderstoodIsTwo() {
    assertThat(run("save", "crm")).isEqualTo(2);
    assertThat(run("save", "crm", URL, "--kind", "LOST")).isEqualTo(2);
    assertThat(server.errors())
        .contains("asyncflow: save needs HOOK_URL.")
        .anyMatch(line -> line.contains("--kind"));
    assertThat(server.asked).isEmpty();
  }

  private int run(String... arguments) {
    return server.run(
        Stream.concat(Stream.of("hook"), Stream.of(arguments)).toArray(String[]::new));
  }
}
