package io.asyncflow.dev.command.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.dev.command.Asyncflow;
import io.asyncflow.dev.command.ScriptedServer;
import io.asyncflow.dev.command.option.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code pause}, {@code resume} and {@code pauses} against a server that says what a test wants.
 */
@Timeout(60)
class PauseCommandTest {

  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  /** 2026-11-23 03:00 in Berlin. */
  private static final long THREE = 1_795_399_200_000L;

  private ScriptedServer server;

  @BeforeEach
  void start() throws IOException {
    server =
        new ScriptedServer(
            (environment, out) -> {
              Terminal terminal = new Terminal(environment, out, System.err, BERLIN);
              return new Object[] {
                PauseCommand.pause(terminal),
                PauseCommand.resume(terminal),
                PauseCommand.list(terminal)
              };
            });
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"pause", "resume", "pauses"})
  void helpSaysWhereAKeyIsTakenFrom(String command) {
    assertThat(server.run(command, "--help")).isZero();
    assertThat(server.printed()).anyMatch(line -> line.contains("FLOW_API_KEY_FILE"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pause type lark | pause/set {'kind':'TYPE','name':'lark',",
        "pause STAGE lark/sendmsg | pause/set {'kind':'STAGE','name':'lark/sendmsg',",
        "pause worker w1 | pause/set {'kind':'WORKER','name':'w1',",
        "pause task 1_lark_task_1 | task/pause {'taskId':'1_lark_task_1',",
        "pause task 1_lark_task_1 --stop | task/pause {'taskId':'1_lark_task_1','stop':1,",
        "pause job 7 | job/pause {'jobId':'7',",
        "resume type lark | pause/clear {'kind':'TYPE','name':'lark',",
        "resume stage lark/sendmsg | pause/clear {'kind':'STAGE','name':'lark/sendmsg',",
        "resume worker w1 | pause/clear {'kind':'WORKER','name':'w1',",
        "resume task 1_lark_task_1 | task/resume {'taskId':'1_lark_task_1',",
        "resume job 7 | job/resume {'jobId':'7',"
      })
  void eachKindHasItsCall(String command, String call) {
    List<String> words = new ArrayList<>(List.of(command.trim().split(" ")));
    words.addAll(List.of("--operator", "ann", "--reason", "why"));
    assertThat(server.run(words.toArray(String[]::new))).as(server.err.toString(UTF_8)).isZero();
    assertThat(server.printed())
        .containsExactly(command.startsWith("pause") ? "Paused." : "It goes on.");
    assertThat(server.asked)
        .containsExactly((call + "'operator':'ann','reason':'why'}").replace('\'', '"'));
  }

  @Test
  void aPauseMayEndByItself() {
    assertThat(server.run("pause", "type", "lark", "--until", "2026-11-23T03:00")).isZero();
    assertThat(server.asked).singleElement().asString().contains("\"until\":" + THREE);
    assertThat(server.printed()).containsExactly("Paused until 2026-11-23 03:00:00+01:00.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pause",
        "pause planet mars",
        "pause type",
        "pause type lark --until soon",
        "pause task 1_lark_task_1 --until 2026-11-23T03:00",
        "pause job 7 --until 2026-11-23T03:00",
        "pause type lark --stop",
        "resume type lark --until 2026-11-23T03:00"
      })
  void whatIsNotUnderstoodAsksNothing(String command) {
    assertThat(server.run(command.split(" "))).isEqualTo(2);
    assertThat(server.asked).isEmpty();
    assertThat(server.errors()).isNotEmpty();
  }

  @Test
  void kindThatThereIsNotIsToldWhichThereAre() {
    assertThat(server.run("pause", "planet", "mars")).isEqualTo(2);
    assertThat(server.errors())
        .first()
        .isEqualTo("asyncflow: KIND is not type, stage, worker, task or job: planet.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"pause", "resume"})
  void withoutAServerTheCommandSaysThatItNeedsOne(String command) {
    StringWriter err = new StringWriter();
    Terminal terminal = new Terminal(Map.of(), System.out, System.err, BERLIN);
    Object[] commands = {PauseCommand.pause(terminal), PauseCommand.resume(terminal)};
    int exitCode =
        Asyncflow.of(commands).setErr(new PrintWriter(err, true)).execute(command, "type", "lark");
    assertThat(exitCode).isEqualTo(2);
    assertThat(err.toString())
        .startsWith("asyncflow: " + command + " needs a server: say --url URL or set FLOW_URL.");
  }

  @Test
  void aRefusalIsAFailure() {
    server.refuses(8042, "no such type: mars");
    assertThat(server.run("pause", "type", "mars")).isEqualTo(1);
    assertThat(server.err.toString(UTF_8)).contains("no such type: mars");
    assertThat(server.out.size()).isZero();
  }

  @Test
  void whatIsPausedIsListed() {
    server.answers(
        """
            {"pauseList":[{"kind":"TYPE","name":"lark","until":null,"operator":"","reason":"",
              "pauseTime":0}],"nextCursor":"TYPE:lark"}
            """);
    server.answers(
        """
            {"pauseList":[{"kind":"STAGE","name":"lark/sendmsg","until":%s,"operator":"ann",
              "reason":"boom \\u001b[31m","pauseTime":%s}]}
            """
            .formatted(THREE, THREE - 3_600_000));
    assertThat(server.run("pauses")).isZero();
    assertThat(server.printed())
        .containsExactly(
            "type lark",
            "stage lark/sendmsg, since 2026-11-23 02:00:00+01:00, until 2026-11-23 03:00:00+01:00,"
                + " by ann: boom \uFFFD[31m");
    assertThat(server.asked).last().asString().contains("\"cursor\":\"TYPE:lark\"");
  }

  @Test
  void nothingMayBePaused() {
    server.answers("{\"pauseList\":[]}");
    assertThat(server.run("pauses")).isZero();
    assertThat(server.printed()).containsExactly("Nothing is paused.");
  }
}
