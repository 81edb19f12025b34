package io.asyncflow.dev.command.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.dev.command.ScriptedServer;
import io.asyncflow.dev.command.option.Terminal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The command against a server that says what a test wants. */
@Timeout(60)
class TaskCommandTest {

  /** 2026-11-23 03:00 in Berlin. */
  private static final long THREE = 1_795_399_200_000L;

  private ScriptedServer server;

  @BeforeEach
  void start() throws IOException {
    server =
        new ScriptedServer(
            (environment, out) ->
                new Object[] {
                  new TaskCommand(
                      new Terminal(environment, out, System.err, ZoneId.of("Europe/Berlin")))
                });
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void taskIsShownWithItsWorkers() {
    server.answers(
        """
        {"taskData":{"userId":"ann","taskId":"1_lark_task_1","taskType":"lark","taskStage":"sendmsg",
         "status":2,"priority":0,"orderTime":%s,"crtRetryNum":1,"maxRetryNum":3,"maxRetryInterval":10,
         "scheduleLog":"","taskContext":"boom \\u001b[31m","createTime":%s,"modifyTime":%s,
         "leaseEpoch":2,"leaseMs":1000,"workerId":"w2","deliveryCount":1,"progress":40,
         "workerIds":["w1","w2"]}}
        """
            .formatted(THREE, THREE, THREE));
    assertThat(server.run("task", "show", "1_lark_task_1"))
        .as(server.err.toString(StandardCharsets.UTF_8))
        .isZero();
    assertThat(server.printed())
        .containsExactly(
            "1_lark_task_1",
            "  status          EXECUTING",
            "  stage           sendmsg",
            "  user            ann",
            "  due             2026-11-23 03:00:00+01:00",
            "  failures        1 of at most 3 that are retried",
            "  workers         w1, w2",
            "  last worker     w2",
            "  progress        40 %",
            "  created         2026-11-23 03:00:00+01:00",
            "  changed         2026-11-23 03:00:00+01:00",
            "  context         boom \uFFFD[31m");
  }

  @Test
  void foundTasksAreListedWithHowFarItLooked() {
    server.answers(
        """
        {"taskList":[{"userId":"ann","taskId":"1_lark_task_1","taskType":"lark",
         "taskStage":"sendmsg","status":8,"priority":0,"orderTime":%s,"crtRetryNum":1,
         "maxRetryNum":3,"maxRetryInterval":10,"scheduleLog":"","taskContext":"","createTime":1,
         "modifyTime":1,"leaseEpoch":2,"deliveryCount":1}],"nextCursor":"L1_2","looked":20000,
         "lookedBackTo":%s,"isWhole":false,"drivenBy":"idx_claim"}
        """
            .formatted(THREE, THREE));
    assertThat(server.run("task", "find", "type:lark", "status:failed"))
        .as(server.err.toString(StandardCharsets.UTF_8))
        .isZero();
    assertThat(server.printed())
        .containsExactly(
            "TASK           STATUS  STAGE    USER  DUE                        FAILURES  WORKER",
            "1_lark_task_1  FAILED  sendmsg  ann   2026-11-23 03:00:00+01:00  1",
            "Looked at 20,000 tasks, to 2026-11-23 03:00:00+01:00.",
            "Go on with --cursor L1_2");
    assertThat(server.asked)
        .containsExactly("task/search {\"q\":\"type:lark status:failed\",\"limit\":100}");
  }

  @Test
  void reasonsAreWrittenOut() {
    server.answers(
        """
        {"why":{"taskId":"1_lark_task_1","status":1,"headline":"NOT_DUE","reasons":[
         {"code":"NOT_DUE","blocking":true,"data":{"dueAt":%s},"until":%s,"todo":"RUN_NOW",
         "text":"It is not due yet."}],"checkedAt":1}}
        """
            .formatted(THREE, THREE));
    assertThat(server.run("task", "why", "1_lark_task_1"))
        .as(server.err.toString(StandardCharsets.UTF_8))
        .isZero();
    assertThat(server.printed())
        .containsExactly(
            "  NOT_DUE         It is not due yet.",
            "                  until 2026-11-23 03:00:00+01:00");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cancel 1_lark_task_1 | task/cancel {'taskId':'1_lark_task_1', | Cancelled.",
        "restart 1_lark_task_1 | task/restart {'taskId':'1_lark_task_1', | Restarted.",
        "run 1_lark_task_1 | task/runNow {'taskId':'1_lark_task_1', | It is due.",
        "reschedule 1_lark_task_1 --delay 1m | task/reschedule {'taskId':'1_lark_task_1','delayMs':60000,"
            + " | Rescheduled.",
        "reschedule 1_lark_task_1 --at 2026-11-23T03:00 |"
            + " task/reschedule {'taskId':'1_lark_task_1','runAt':1795399200000, | Rescheduled.",
        "workers 1_lark_task_1 w2,w3 | task/setWorkers {'taskId':'1_lark_task_1','workerIds':['w2','w3'],"
            + " | Its workers are set.",
        "workers 1_lark_task_1 --all | task/setWorkers {'taskId':'1_lark_task_1','workerIds':[],"
            + " | All workers may hold it."
      })
  void eachActHasItsCall(String command, String call, String said) {
    List<String> words = new ArrayList<>(List.of(("task " + command.trim()).split(" ")));
    words.addAll(List.of("--operator", "ann", "--reason", "why"));
    assertThat(server.run(words.toArray(String[]::new)))
        .as(server.err.toString(StandardCharsets.UTF_8))
        .isZero();
    assertThat(server.printed()).containsExactly(said);
    assertThat(server.asked)
        .containsExactly((call + "'operator':'ann','reason':'why'}").replace('\'', '"'));
  }

  @Test
  void tasksOfATypeAreListedInATable() {
    server.answers("{\"taskList\":[" + task(2) + "],\"nextCursor\":\"7\"}");
    assertThat(server.run("task", "list", "--type", "lark", "--status", "executing,failed"))
        .as(server.err.toString(StandardCharsets.UTF_8))
        .isZero();
    assertThat(server.printed())
        .containsExactly(
            "TASK           STATUS     STAGE    USER  DUE                        FAILURES  WORKER",
            "1_lark_task_1  EXECUTING  sendmsg  ann   2026-11-23 03:00:00+01:00  1         w2",
            "Go on with --cursor 7");
    assertThat(server.asked).singleElement().asString().startsWith("task/getTaskList ");
  }

  @Test
  void tasksOfAUserAreListed() {
    server.answers("{\"taskList\":[],\"nextCursor\":null}");
    assertThat(server.run("task", "list", "--user", "ann", "--limit", "5")).isZero();
    assertThat(server.printed()).containsExactly("There are no such tasks.");
    assertThat(server.asked)
        .singleElement()
        .asString()
        .startsWith("task/getUserTaskList ")
        .contains("\"userId\":\"ann\"", "\"limit\":5");
  }

  @Test
  void answerIsPrintedAsJson() {
    server.answers("{\"taskList\":[" + task(2) + "],\"nextCursor\":\"7\"}");
    assertThat(server.run("task", "list", "--type", "lark", "--json")).isZero();
    assertThat(server.printed())
        .containsExactly("{\"taskList\":[" + task(2) + "],\"nextCursor\":\"7\"}");
  }

  @Test
  void jsonHasNoCharacterThatCouldControlATerminal() {
    server.answers(
        "{\"taskData\":" + task(2).replace("\"{}\"", "\"\\u001b[31m \\u009b2J \\u202e\"") + "}");
    assertThat(server.run("task", "show", "1_lark_task_1", "--json")).isZero();
    assertThat(server.printed())
        .singleElement()
        .asString()
        .containsIgnoringCase("\"taskContext\":\"\\u001b[31m \\u009b2J \\u202e\"");
  }

  private static String task(int status) {
    return "{'userId':'ann','taskId':'1_lark_task_1','taskType':'lark','taskStage':'sendmsg','status':%s,"
        .formatted(status)
        .concat("'priority':0,'orderTime':%s,'crtRetryNum':1,'maxRetryNum':3,".formatted(THREE))
        .concat("'maxRetryInterval':10,'scheduleLog':'','taskContext':'{}','createTime':1,")
        .concat("'modifyTime':1,'leaseEpoch':2,'workerId':'w2','deliveryCount':1}")
        .replace('\'', '"');
  }

  @Test
  void historyIsATable() {
    server.answers(
        """
        {"entries":[{"time":%s,"kind":"HELD","stage":"sendmsg","workerId":"w1","waitMs":1500},
         {"time":%s,"kind":"FAILURE","stage":"sendmsg","outcome":"RETRY","verdict":"WORKER_LOST",
         "workerId":"w1","costMs":90000,"errMsg":"boom"}],"gaps":true}
        """
            .formatted(THREE, THREE));
    assertThat(server.run("task", "history", "1_lark_task_1"))
        .as(server.err.toString(StandardCharsets.UTF_8))
        .isZero();
    assertThat(server.printed())
        .containsExactly(
            "TIME                       WHAT     STAGE    OUTCOME             WORKER  TOOK   WAITED  WHY",
            "2026-11-23 03:00:00+01:00  HELD     sendmsg                      w1             1.5s",
            "2026-11-23 03:00:00+01:00  FAILURE  sendmsg  RETRY, WORKER_LOST  w1      1m30s          boom",
            "Earlier runs are not known any more.");
  }

  @Test
  void runningTasksAreATable() {
    server.answers(
        """
        {"runningList":[{"taskId":"1_lark_task_1","taskStage":"sendmsg","userId":"ann",
         "workerId":"w1","leaseEpoch":1,"holdTime":%s,"elapsedMs":60000,"leaseMs":20000,
         "hardEndMs":30000,"beatAgeMs":10000,"progress":40}],"isWhole":true}
        """
            .formatted(THREE));
    assertThat(server.run("task", "running", "--worker", "w1"))
        .as(server.err.toString(StandardCharsets.UTF_8))
        .isZero();
    assertThat(server.printed())
        .containsExactly(
            "TASK           STAGE    WORKER  HELD                       FOR  LEASE  LAST BEAT  PROGRESS",
            "1_lark_task_1  sendmsg  w1      2026-11-23 03:00:00+01:00  1m   20s    10s ago    40 %");
    assertThat(server.asked).singleElement().asString().contains("\"workerId\":\"w1\"");
  }

  @Test
  void taskIsCreatedForLater() {
    server.answers("{\"taskId\":\"1_lark_task_1\",\"outcome\":\"CREATED\"}");
    assertThat(
            server.run(
                "task",
                "create",
                "lark",
                "sendmsg",
                "--user",
                "ann",
                "--context",
                "{}",
                "--priority",
                "60",
                "--delay",
                "2h",
                "--key",
                "k"))
        .as(server.err.toString(StandardCharsets.UTF_8))
        .isZero();
    assertThat(server.printed()).containsExactly("1_lark_task_1");
    assertThat(server.asked)
        .singleElement()
        .asString()
        .startsWith("task/createTask ")
        .contains(
            "\"userId\":\"ann\"",
            "\"taskStage\":\"sendmsg\"",
            "\"taskContext\":\"{}\"",
            "\"priority\":60",
            "\"delayMs\":7200000",
            "\"idempotencyKey\":\"k\"");
  }

  @Test
  void cloneIsPrinted() {
    server.answers("{\"taskId\":\"2_lark_task_1\"}");
    assertThat(server.run("task", "clone", "1_lark_task_1", "--stage", "again")).isZero();
    assertThat(server.printed()).containsExactly("2_lark_task_1");
    assertThat(server.asked).singleElement().asString().contains("\"taskStage\":\"again\"");
  }

  @Test
  void retryPrintsTheIdFromNowOn() {
    server.answers("{\"taskId\":\"2_lark_task_4\"}");
    assertThat(server.run("task", "retry", "1_lark_task_1")).isZero();
    assertThat(server.printed()).containsExactly("2_lark_task_4");
  }

  @Test
  void actThatNamesATaskIsPrintedAsJson() {
    server.answers("{\"taskId\":\"2_lark_task_1\"}");
    server.answers("{\"taskId\":\"2_lark_task_4\"}");
    assertThat(server.run("task", "clone", "1_lark_task_1", "--json")).isZero();
    assertThat(server.run("task", "retry", "1_lark_task_1", "--json")).isZero();
    assertThat(server.printed())
        .containsExactly("{\"taskId\":\"2_lark_task_1\"}", "{\"taskId\":\"2_lark_task_4\"}");
  }

  @Test
  void leaseOfNowIsEndedUnlessAnotherIsNamed() {
    server.answers("{\"taskData\":" + task(2) + "}");
    String why = "the worker is gone";
    assertThat(server.run("task", "expire", "1_lark_task_1", "--operator", "ann", "--reason", why))
        .as(server.err.toString(StandardCharsets.UTF_8))
        .isZero();
    assertThat(
            server.run(
                "task",
                "expire",
                "1_lark_task_1",
                "--epoch",
                "1",
                "--operator",
                "ann",
                "--reason",
                why))
        .isZero();
    assertThat(server.printed()).containsOnly("Its lease has ended.");
    String call =
        "task/expireLease {\"taskId\":\"1_lark_task_1\",\"leaseEpoch\":%s,\"operator\":\"ann\",\"reason\":\"the worker is gone\"}";
    assertThat(server.asked)
        .containsExactly(
            "task/getTask {\"taskId\":\"1_lark_task_1\"}", call.formatted(2), call.formatted(1));
  }

  @Test
  void taskThatDoesNotRunHasNoLeaseToEnd() {
    server.answers("{\"taskData\":" + task(1) + "}");
    assertThat(server.run("task", "expire", "1_lark_task_1", "--reason", "why")).isEqualTo(1);
    assertThat(server.errors()).containsExactly("asyncflow: It has no lease: it is WAITING.");
    assertThat(server.asked).hasSize(1);
  }

  @Test
  void statusIsForcedForAReason() {
    assertThat(
            server.run(
                "task",
                "force",
                "1_lark_task_1",
                "failed",
                "--operator",
                "ann",
                "--reason",
                "given up"))
        .as(server.err.toString(StandardCharsets.UTF_8))
        .isZero();
    assertThat(server.printed()).containsExactly("It is FAILED.");
    assertThat(server.asked)
        .containsExactly(
            "task/setStatus {\"taskId\":\"1_lark_task_1\",\"status\":8,\"operator\":\"ann\",\"reason\":\"given up\"}");
  }

  @Test
  void optionThatIsMissingIsNamedWithItsValue() {
    assertThat(server.run("task", "create", "lark", "sendmsg")).isEqualTo(2);
    assertThat(server.errors()).first().isEqualTo("asyncflow: create needs --user USER.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "task show",
        "task find",
        "task find type:lark --limit 201",
        "task why",
        "task list",
        "task list --type lark --user ann",
        "task list --type lark --status NEVER",
        "task list --type lark --limit 1001",
        "task history",
        "task create lark --user ann",
        "task create lark sendmsg",
        "task create lark sendmsg --user ann --delay soon",
        "task create lark sendmsg --user ann --delay 999999999999d",
        "task create lark sendmsg --user ann --at +999999999-12-31",
        "task create lark sendmsg --user ann --delay 1h --at 2026-11-23T03:00",
        "task reschedule 1_lark_task_1",
        "task reschedule 1_lark_task_1 --delay 1h --priority 60",
        "task cancel",
        "task expire 1_lark_task_1",
        "task expire 1_lark_task_1 --epoch 0 --reason why",
        "task force 1_lark_task_1 failed",
        "task force 1_lark_task_1 --reason why",
        "task force 1_lark_task_1 executing --reason why",
        "task workers 1_lark_task_1",
        "task workers 1_lark_task_1 w1 --all"
      })
  void whatIsNotUnderstoodAsksNothing(String command) {
    assertThat(server.run(command.split(" "))).isEqualTo(2);
    assertThat(server.asked).isEmpty();
    assertThat(server.errors()).isNotEmpty();
  }

  @Test
  void refusalIsAFailure() {
    server.refuses(8051, "the task is final");
    assertThat(server.run("task", "restart", "1_lark_task_1")).isEqualTo(1);
    assertThat(server.errors()).containsExactly("asyncflow: the task is final (8051)");
    assertThat(server.printed()).isEmpty();
  }
}
