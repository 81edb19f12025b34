package io.asyncflow.dev.command.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.dev.command.Asyncflow;
import io.asyncflow.dev.command.ScriptedServer;
import io.asyncflow.dev.command.option.Terminal;
import io.asyncflow.dev.command.work.JobCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code type}, {@code worker} and {@code job} against a server that says what a test wants. */
@Timeout(60)
class OperatorCommandsTest {

  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  /** 2026-11-23 03:00 in Berlin. */
  private static final long THREE = 1_795_399_200_000L;

  private static final String TYPE =
      """
      {"task_type":"Lark","schedule_limit":50,"schedule_interval":10,"max_processing_time":30,
       "max_retry_num":3,"retry_interval":10,"max_retry_interval":null,"lease_seconds":20,
       "max_delivery":10,"roll_threshold":5000000,"retention_days":0,"max_executing":8,
       "rate_limit":0,"paused":1,"create_time":%s,"modify_time":%s}
      """
          .formatted(THREE, THREE);

  private static final String WORKER =
      """
      {"workerId":"w1","host":"gpu-1","sdkVersion":"0.1.0","state":"alive","heldTasks":2,
       "description":{"stages":["lark/sendmsg","tts/split"],"labels":{"rack":"7"}},
       "tooOldFor":["lark"],"firstBeat":%s,"lastBeat":%s}
      """
          .formatted(THREE, THREE);

  private static final String JOB =
      """
      {"jobId":"7","userId":"ann","jobType":"tts","childType":"tts","state":"RUNNING",
       "failurePolicy":"FINISH","priority":0,"total":8,"done":3,"failed":1,"cancelled":0,
       "splitTaskId":"1_tts_task_1","createTime":%s,"modifyTime":%s,"paused":true,"merge":true}
      """
          .formatted(THREE, THREE);

  private ScriptedServer server;

  @BeforeEach
  void start() throws IOException {
    server =
        new ScriptedServer(
            (environment, out) ->
                new Object[] {
                  new TypeCommand(new Terminal(environment, out, System.err, BERLIN)),
                  new WorkerCommand(new Terminal(environment, out, System.err, BERLIN)),
                  new JobCommand(new Terminal(environment, out, System.err, BERLIN))
                });
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void run(String... words) {
    assertThat(server.run(words)).as(server.err.toString(StandardCharsets.UTF_8)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"type", "worker", "job"})
  void helpSaysWhereAKeyIsTakenFrom(String command) {
    run(command, "list", "--help");
    assertThat(server.printed())
        .anyMatch(line -> line.contains("FLOW_API_KEY_FILE"))
        .anyMatch(line -> line.contains("--json"))
        .anyMatch(line -> line.contains("3   the server cannot be reached"));
  }

  @Test
  void typesAreATable() {
    server.answers("{\"scheduleCfgList\":[" + TYPE + "]}");
    run("type", "list");
    assertThat(server.printed())
        .containsExactly(
            "TYPE  STATE   PER HOLD  MAX TIME  RETRIES  LEASE  AT ONCE  PER SECOND",
            "Lark  PAUSED  50        30s       3        20s    8        -");
  }

  @Test
  void typeIsShownWithAllItsColumns() {
    server.answers("{\"scheduleCfgList\":[" + TYPE + "]}");
    run("type", "show", "LARK");
    assertThat(server.printed())
        .contains(
            "task_type               Lark",
            "schedule_limit          50",
            "max_retry_interval      -",
            "modify_time             2026-11-23 03:00:00+01:00");
  }

  @Test
  void unknownTypeIsAFailure() {
    server.answers("{\"scheduleCfgList\":[]}");
    assertThat(server.run("type", "show", "mars")).isEqualTo(1);
    assertThat(server.errors()).containsExactly("asyncflow: There is no task type mars.");
  }

  @Test
  void savedColumnsAreSentAndNoOthers() {
    run(
        "type",
        "save",
        "lark",
        "schedule_limit=50",
        "sealed=-1",
        "--operator",
        "ann",
        "--reason=a");
    assertThat(server.asked)
        .containsExactly(
            "task_schedule_cfg/save {\"task_type\":\"lark\",\"schedule_limit\":50,\"sealed\":-1,"
                + "\"operator\":\"ann\",\"reason\":\"a\"}");
    assertThat(server.printed()).containsExactly("Saved.");
  }

  @Test
  void columnWithNothingBehindTheSignIsRemoved() {
    run(
        "type",
        "save",
        "lark",
        "max_retry_interval=",
        "roll_threshold=5000000000",
        "--operator=ann");
    assertThat(server.asked)
        .containsExactly(
            "task_schedule_cfg/save {\"task_type\":\"lark\",\"roll_threshold\":5000000000,"
                + "\"operator\":\"ann\",\"max_retry_interval\":null}");
    assertThat(server.run("type", "save", "lark", "lease_seconds=")).isEqualTo(2);
    assertThat(server.errors()).first().isEqualTo("asyncflow: lease_seconds needs a value.");
  }

  @Test
  void stagesAreATable() {
    server.answers(
        """
        {"at":1,"whole":false,"stages":[{"taskStage":"sendmsg",
         "due":{"count":1234,"kind":"AT_LEAST"},"later":{"count":0,"kind":"EXACT"},
         "executing":{"count":2,"kind":"EXACT"},"paused":{"count":0,"kind":"EXACT"},
         "success":{"count":56000,"kind":"ABOUT"},"failed":{"count":56000,"kind":"ABOUT"},
         "cancelled":{"count":0,"kind":"EXACT"},"oldestDueMs":61000,"workers":3,
         "runMs":{"p50":120,"p95":900,"p99":1000,"n":7},"waitMs":{"n":0}}]}
        """);
    run("type", "stages", "lark");
    assertThat(server.printed())
        .containsExactly(
            "STAGE    DUE     LATER  EXECUTING  PAUSED  FAILED   OLDEST DUE  WORKERS  RUN P50"
                + "  RUN P95  WAIT P95",
            "sendmsg  1,234+  0      2          0       ~56,000  1m1s        3        0.12s  "
                + "  0.9s     -",
            "There may be more stages.");
  }

  @Test
  void tablesOfATypeAreATable() {
    server.answers(
        """
        {"tables":[{"table":"t_lark_task_1","number":1,"state":"DRAINED","rows":5000000,"bytes":null,
         "createTime":%1$s,"ageSeconds":60,"drainTime":%1$s,"paused":false},
         {"table":"t_lark_task_2","number":2,"state":"OPEN","rows":12,"bytes":16384,
         "createTime":%1$s,"ageSeconds":60,"drainTime":null,"paused":true}]}
        """
            .formatted(THREE));
    run("type", "tables", "lark");
    assertThat(server.printed())
        .containsExactly(
            "TABLE          STATE    ROWS        BYTES    CREATED                    DRAINED"
                + "                    PAUSED TASKS",
            "t_lark_task_1  DRAINED  ~5,000,000  -        2026-11-23 03:00:00+01:00  2026-11-23"
                + " 03:00:00+01:00  no",
            "t_lark_task_2  OPEN     ~12         ~16,384  2026-11-23 03:00:00+01:00  -"
                + "                          yes");
    assertThat(server.asked).containsExactly("task_schedule_cfg/tables {\"taskType\":\"lark\"}");
  }

  @Test
  void tableThatIsBegunIsNamed() {
    server.answers("{\"table\":\"t_lark_task_4\"}");
    server.answers("{\"table\":\"t_lark_task_5\"}");
    run("type", "roll", "lark", "--operator", "ann", "--reason", "full soon");
    run("type", "roll", "lark", "--json", "--operator", "ann", "--reason", "full soon");
    assertThat(server.printed()).containsExactly("t_lark_task_4", "{\"table\":\"t_lark_task_5\"}");
    assertThat(server.asked)
        .containsOnly(
            "task_schedule_cfg/roll {\"taskType\":\"lark\",\"operator\":\"ann\","
                + "\"reason\":\"full soon\"}");
  }

  @Test
  void workersAreATable() {
    server.answers("{\"workerList\":[" + WORKER + "]}");
    run("worker", "list");
    assertThat(server.printed())
        .containsExactly(
            "WORKER  STATE  HOLDS  HOST   STAGES                   LAST SIGN",
            "w1      alive  2      gpu-1  lark/sendmsg, tts/split  2026-11-23 03:00:00+01:00");
    assertThat(server.asked).containsExactly("worker/list {\"limit\":100}");
  }

  @Test
  void listOfWorkersThatIsFullSaysThatThereMayBeMore() {
    server.answers("{\"workerList\":[" + WORKER + "]}");
    run("worker", "list", "--limit", "1");
    assertThat(server.printed()).hasSize(3).last().isEqualTo("There may be more workers.");
  }

  @Test
  void workerIsShownWithWhatItSaysOfItself() {
    server.answers("{\"workerData\":" + WORKER + "}");
    run("worker", "show", "w1");
    assertThat(server.printed())
        .containsExactly(
            "w1",
            "  state           alive",
            "  holds           2 tasks",
            "  host            gpu-1",
            "  sdk             0.1.0",
            "  too old for     lark",
            "  first beat      2026-11-23 03:00:00+01:00",
            "  last sign       2026-11-23 03:00:00+01:00",
            "  stages          lark/sendmsg, tts/split",
            "  labels          rack=7");
  }

  @Test
  void jobsAreATable() {
    server.answers("{\"jobList\":[" + JOB + "],\"nextCursor\":\"5\"}");
    run("job", "list", "--user", "ann", "--state", "running,failed");
    assertThat(server.printed())
        .containsExactly(
            "JOB  STATE            TYPE  USER  DONE    FAILED  CREATED",
            "7    RUNNING, paused  tts   ann   3 of 8  1       2026-11-23 03:00:00+01:00",
            "Go on with --cursor 5");
    assertThat(server.asked)
        .singleElement()
        .asString()
        .startsWith("job/getJobList ")
        .contains("\"userId\":\"ann\"", "RUNNING", "FAILED");
  }

  @Test
  void jobIsShown() {
    server.answers("{\"jobData\":" + JOB + "}");
    run("job", "show", "7");
    assertThat(server.printed())
        .startsWith("7", "  state           RUNNING, paused", "  type            tts")
        .contains("  done            3 of 8", "  split           1_tts_task_1");
  }

  @Test
  void childrenAreATable() {
    server.answers(
        """
        {"taskList":[{"index":0,"taskId":"2_tts_task_1","taskStage":"synthesize","status":8,
         "errMsg":"boom","costMs":1500,"workerId":"w1"},
         {"index":1,"taskStage":"synthesize","status":1}],"nextCursor":null}
        """);
    run("job", "tasks", "7");
    assertThat(server.printed())
        .containsExactly(
            "CHILD  STATUS   STAGE       TASK          WORKER  TOOK  ERROR",
            "0      FAILED   synthesize  2_tts_task_1  w1      1.5s  boom",
            "1      WAITING  synthesize");
  }

  @Test
  void jobIsCreatedFromAFile(@TempDir Path directory) throws IOException {
    Path input = Files.writeString(directory.resolve("text"), "Guten Tag.");
    server.answers("{\"jobId\":\"7\"}");
    run("job", "create", "tts", "--user", "ann", "--input", input.toString(), "--key", "k");
    assertThat(server.printed()).containsExactly("7");
    assertThat(server.asked)
        .singleElement()
        .asString()
        .startsWith("job/createJob ")
        .contains("\"jobInput\":\"Guten Tag.\"", "\"idempotencyKey\":\"k\"");
    assertThat(server.run("job", "create", "tts", "--user", "ann", "--input", input + "x"))
        .isEqualTo(1);
    assertThat(server.errors()).containsExactly("asyncflow: There is no file " + input + "x.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "type clean lark t_lark_task_1 --operator ann --reason why |"
            + " task_schedule_cfg/clean {'taskType':'lark','table':'t_lark_task_1','operator':'ann',"
            + "'reason':'why'} | It is dropped within a minute.",
        "worker drain w1 --operator ann --reason why |"
            + " worker/drain {'workerId':'w1','operator':'ann','reason':'why'} |"
            + " It stops once its tasks are done.",
        "worker drain w1 --grace 5m --operator ann |"
            + " worker/drain {'workerId':'w1','graceMs':300000,'operator':'ann'} |"
            + " It stops once its tasks are done.",
        "worker drain w1 --undo --operator ann |"
            + " worker/drain {'workerId':'w1','undo':1,'operator':'ann'} | It need not stop.",
        "job cancel 7 --operator ann --reason why |"
            + " job/cancel {'jobId':'7','operator':'ann','reason':'why'} | Cancelled.",
        "job retry 7 --operator ann |"
            + " job/retry {'jobId':'7','operator':'ann'} | They run again."
      })
  void eachActHasItsCall(String command, String call, String said) {
    run(command.trim().split(" "));
    assertThat(server.printed()).containsExactly(said);
    assertThat(server.asked).containsExactly(call.replace('\'', '"'));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "type list | {'scheduleCfgList':[{'task_type':'lark'",
        "type stages lark | {'at':1,'whole':true,'stages':[]}",
        "type tables lark | {'tables':[]}",
        "worker list | {'workerList':[]}",
        "job list | {'jobList':[],'nextCursor':",
        "job tasks 7 | {'taskList':[],'nextCursor':"
      })
  void answersArePrintedAsJson(String command, String json) {
    server.answers(
        """
        {"scheduleCfgList":[{"task_type":"lark"}],"workerList":[],"jobList":[],"taskList":[],"tables":[],
         "at":1,"whole":true,"stages":[]}
        """);
    run((command.trim() + " --json").split(" "));
    assertThat(server.printed())
        .singleElement()
        .asString()
        .startsWith(json.trim().replace('\'', '"'));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "type show",
        "type clean lark",
        "type roll",
        "type save lark schedule_limit",
        "type save lark planet=7",
        "type save lark task_type=tts",
        "type save lark paused=yes",
        "worker show",
        "worker list --limit 0",
        "worker drain w1 --grace soon",
        "worker drain w1 --grace 5m --undo",
        "job show",
        "job list --state BUSY",
        "job create tts --user ann",
        "job fly 7"
      })
  void whatIsNotUnderstoodAsksNothing(String command) {
    assertThat(server.run(command.split(" "))).isEqualTo(2);
    assertThat(server.asked).isEmpty();
    assertThat(server.errors()).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--url http://127.0.0.1:1 list", "--url=http://127.0.0.1:1 list"})
  void optionBeforeTheCommandIsToldItsPlace(String words) {
    assertThat(server.run(("worker " + words).split(" "))).isEqualTo(2);
    assertThat(server.errors())
        .first()
        .isEqualTo("asyncflow: worker takes --url behind its command.");
  }

  @Test
  void refusalIsToldWithItsCode() {
    server.refuses(8037, "no worker w9 has sent a heartbeat for a day");
    assertThat(server.run("worker", "show", "w9")).isEqualTo(1);
    assertThat(server.errors())
        .containsExactly("asyncflow: no worker w9 has sent a heartbeat for a day (8037)");
    assertThat(server.printed()).isEmpty();
  }

  @Test
  void serverThatCannotBeReachedHasItsOwnExitCode() {
    server.close();
    assertThat(server.run("type", "list")).isEqualTo(Asyncflow.UNREACHABLE);
  }
}
