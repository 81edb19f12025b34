package io.asyncflow.dev.command.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.dev.command.ScriptedServer;
import io.asyncflow.dev.command.option.Terminal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The command against a server that says what a test wants. */
@Timeout(60)
class BulkCommandTest {

  /** 2026-11-23 03:00 in Berlin. */
  private static final long THREE = 1_795_399_200_000L;

  private ScriptedServer server;

  @BeforeEach
  void start() throws IOException {
    server =
        new ScriptedServer(
            (environment, out) ->
                new Object[] {
                  new BulkCommand(
                      new Terminal(environment, out, System.err, ZoneId.of("Europe/Berlin")))
                });
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void previewSaysWhatWouldBeDoneAndHowItIsStarted() {
    server.answers(
        """
        {"bulkId":"7","act":"RESCHEDULE","arguments":{"priority":60},"filter":{"q":"type:lark"},
         "count":{"count":12000,"kind":"AT_LEAST"},"looked":12000,
         "byStatus":{"FAILED":2000,"WAITING":10000},"samples":[
          {"userId":"ann","taskId":"1_lark_task_1","taskType":"lark","taskStage":"sendmsg",
           "status":8,"priority":0,"orderTime":%s,"crtRetryNum":1,"maxRetryNum":3,
           "maxRetryInterval":10,"scheduleLog":"","taskContext":"","createTime":1,"modifyTime":1,
           "leaseEpoch":2,"deliveryCount":1}],
         "cap":10000,"token":"7-abc","tokenUntil":%s}
        """
            .formatted(THREE, THREE));
    assertThat(
            server.run("bulk", "preview", "RESCHEDULE", "type:lark", "age>1d", "--priority", "60"))
        .as(server.err.toString(StandardCharsets.UTF_8))
        .isZero();
    assertThat(server.printed())
        .containsExactly(
            "RESCHEDULE would be tried on at least 12,000 tasks.",
            "  failed          2,000",
            "  waiting         10,000",
            "  such as         1_lark_task_1  FAILED  sendmsg",
            "  cap             it ends after 10,000",
            "Until 2026-11-23 03:00:00+01:00 it is started by",
            "bulk start 7-abc --count 12000 --reason TEXT");
    assertThat(server.asked)
        .containsExactly(
            "bulk/preview {\"act\":\"RESCHEDULE\",\"filter\":{\"q\":\"type:lark age>1d\"},"
                + "\"arguments\":{\"priority\":60}}");
  }

  /** So that a script can start what it has previewed. */
  @Test
  void previewAndStartArePrintedAsJson() {
    String preview =
        "{\"bulkId\":\"7\",\"act\":\"CANCEL\",\"arguments\":{},\"filter\":{\"q\":\"type:lark\"},"
            + "\"count\":{\"count\":3,\"kind\":\"EXACT\"},\"looked\":3,\"byStatus\":{\"FAILED\":3},"
            + "\"samples\":[],\"cap\":10000,\"token\":\"7-abc\",\"tokenUntil\":1}";
    server.answers(preview);
    server.answers("{\"bulkId\":\"7\"}");
    assertThat(server.run("bulk", "preview", "cancel", "type:lark", "--json")).isZero();
    assertThat(server.run("bulk", "start", "7-abc", "--count", "3", "--reason", "why", "--json"))
        .isZero();
    assertThat(server.printed()).containsExactly(preview, "{\"bulkId\":\"7\"}");
  }

  @Test
  void startNeedsAReason() {
    assertThat(server.run("bulk", "start", "7-abc", "--count", "3")).isEqualTo(2);
    assertThat(server.asked).isEmpty();
  }

  @Test
  void startPrintsTheId() {
    server.answers("{\"bulkId\":\"7\"}");
    assertThat(
            server.run(
                "bulk", "start", "7-abc", "--count", "3", "--reason", "why", "--operator", "ann"))
        .as(server.err.toString(StandardCharsets.UTF_8))
        .isZero();
    assertThat(server.printed()).containsExactly("7");
    assertThat(server.asked)
        .containsExactly(
            "bulk/start {\"token\":\"7-abc\",\"count\":3,\"operator\":\"ann\",\"reason\":\"why\"}");
  }

  @Test
  void bulkIsShownWithItsRefusals() {
    server.answers(
        """
        {"bulkId":"7","state":"RUNNING","act":"RETRY","arguments":{},"filter":{"q":"type:lark"},
         "count":{"count":3,"kind":"EXACT"},"cap":10000,"looked":2,"done":1,"skipped":0,
         "refused":1,"refusals":[{"taskId":"1_lark_task_1","code":8051,"msg":"it is done"}],
         "principal":"local","operator":"ann","reason":"why","previewTime":%1$s,"startTime":%1$s,
         "changeTime":%1$s}
        """
            .formatted(THREE));
    assertThat(server.run("bulk", "show", "7"))
        .as(server.err.toString(StandardCharsets.UTF_8))
        .isZero();
    assertThat(server.printed())
        .containsExactly(
            "7",
            "  state           RUNNING",
            "  act             RETRY",
            "  search          {q=type:lark}",
            "  expected        3",
            "  done            1",
            "  skipped         0",
            "  refused         1",
            "  caller          local",
            "  operator        ann",
            "  reason          why",
            "  started         2026-11-23 03:00:00+01:00",
            "  refused         1_lark_task_1: 8051 it is done");
  }
}
