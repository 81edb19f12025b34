package io.asyncflow.dev.command.work;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.asyncflow.dev.command.Asyncflow;
import io.asyncflow.dev.command.option.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command against a server that says what a test wants. */
@Timeout(60)
class ScheduleCommandTest {
  private static final String NOBODY = "http://127.0.0.1:1";

  /** 2026-11-23 03:00 in Berlin. */
  private static final long THREE = 1_795_399_200_000L;

  private static final String NIGHTLY =
      """
      {"scheduleId":"7","name":"nightly","cron":"0 0 3 * * *","zone":"Europe/Berlin","taskData":{
       "userId":"ops","taskType":"report","taskStage":"build","taskContext":"{}"},"overlap":"SKIP",
       "catchUp":"LATEST","catchUpMs":604800000,"catchUpLimit":100,"jitterMs":0,
       "pauseAfterFailures":5,"weight":1,"revision":3,"state":"ACTIVE","nextFireTime":%s,
       "lastFireTime":%s,"fireCount":12,"failStreak":1,"lastError":"boom \\u001b[31m","lateMs":0,
       "slice":9,"owner":"n1","epoch":2,"version":40,"createTime":%s,"modifyTime":%s}
      """
          .formatted(THREE, THREE - 86_400_000, THREE - 864_000_000, THREE - 86_400_000);

  private static final String PROBE =
      """
      {"scheduleId":"6","name":"probe","everyMs":5400000,"jobData":{"jobType":"book"},
       "state":"PAUSED","pauseUntil":%s,"fireCount":0,"failStreak":0,"lateMs":0,"slice":1,"epoch":1,
       "version":1,"createTime":1,"modifyTime":1}
      """
          .formatted(THREE);

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  /** The answers of each call, one after the other; the last one stays. */
  private final Map<String, Queue<String>> answers = new HashMap<>();

  private final List<String> asked = new ArrayList<>();
  private final List<String> keys = new ArrayList<>();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    answers("get", "{\"scheduleData\":" + NIGHTLY + "}");
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void aListIsATableWithItsCursor() {
    answers("list", "{\"scheduleList\":[" + NIGHTLY + "," + PROBE + "],\"nextCursor\":\"6\"}");
    assertThat(run("list", "--state", "ACTIVE", "--type", "report", "--cursor", "9")).isZero();
    assertThat(lines(out))
        .containsExactly(
            "NAME     STATE   PLAN                       CREATES            NEXT FIRE"
                + "                  FIRES  LAST ERROR",
            "nightly  ACTIVE  0 0 3 * * * Europe/Berlin  task report/build  2026-11-23"
                + " 03:00:00+01:00  12     boom \uFFFD[31m",
            "probe    PAUSED  every 1h30m                job book           -"
                + "                          0",
            "Go on with --cursor 6");
    assertThat(asked)
        .containsExactly(
            "list {\"state\":\"ACTIVE\",\"taskType\":\"report\",\"limit\":100,\"cursor\":\"9\"}");
  }

  @Test
  void aListMayBeEmpty() {
    answers("list", "{\"scheduleList\":[],\"nextCursor\":null}");
    assertThat(run("list")).isZero();
    assertThat(lines(out)).containsExactly("There are no such schedules.");
  }

  @Test
  void aScheduleIsShownWithItsHistory() {
    answers(
        "fires",
        """
        {"fireList":[
          {"fireTime":%1$s,"outcome":"CREATED","manual":false,"makeTime":%1$s,
           "taskId":"1_report_task_1","status":8,"endTime":%1$s,"costMs":61500,"node":"n1","epoch":2},
          {"fireTime":%3$s,"outcome":"SKIPPED","manual":false,"makeTime":%3$s,"node":"n1","epoch":2}],
         "gapList":[{"fromTime":%2$s,"toTime":%2$s,"fires":3,"reason":"PAUSED"}],"nextCursor":null}
        """
            .formatted(THREE - 86_400_000, THREE - 172_800_000, THREE - 259_200_000));
    assertThat(run("show", "nightly", "--fires", "2")).isZero();
    assertThat(lines(out))
        .containsExactly(
            "nightly",
            "  id              7",
            "  state           ACTIVE",
            "  next fire       2026-11-23 03:00:00+01:00",
            "  last fire       2026-11-22 03:00:00+01:00",
            "  fires           12",
            "  failed in a row 1",
            "  last error      boom \uFFFD[31m",
            "  made by         n1, slice 9, epoch 2",
            "  saved           2026-11-13 03:00:00+01:00",
            "  changed         2026-11-22 03:00:00+01:00, version 40",
            "  plan            0 0 3 * * * Europe/Berlin",
            "  creates         task report/build",
            "  overlap         SKIP",
            "  catch-up        LATEST within 168h",
            "  pauses after    5 failures in a row",
            "  revision        3",
            "",
            "FIRE TIME                  OUTCOME                       ENDED   AFTER   RUN",
            "2026-11-22 03:00:00+01:00  CREATED                       FAILED  1m1.5s"
                + "  1_report_task_1",
            "2026-11-21 03:00:00+01:00  PAUSED, 3 fires from here on",
            "2026-11-20 03:00:00+01:00  SKIPPED");
    assertThat(asked)
        .containsExactly("get {\"name\":\"nightly\"}", "fires {\"scheduleId\":\"7\",\"limit\":2}");
  }

  @Test
  void aScheduleAsJsonHasItsHistoryBesideItsOwnMembers() {
    String history =
        """
        "fireList":[{"fireTime":1,"outcome":"SKIPPED","manual":false,"makeTime":1,"node":"n1",\
        "epoch":2}],"gapList":[{"fromTime":2,"toTime":3,"fires":3,"reason":"PAUSED"}],\
        "nextCursor":"1"}""";
    answers("fires", "{" + history);
    assertThat(run("show", "nightly", "--fires", "1", "--json")).isZero();
    assertThat(lines(out))
        .singleElement()
        .asString()
        .startsWith("{\"scheduleId\":\"7\",\"name\":\"nightly\",")
        .endsWith("," + history);
    assertThat(asked)
        .containsExactly("get {\"name\":\"nightly\"}", "fires {\"scheduleId\":\"7\",\"limit\":1}");
  }

  @Test
  void aNumberIsAnIdIfNoScheduleHasItAsItsName() {
    answers("get", null, "{\"scheduleData\":" + PROBE + "}");
    answers("fires", "{\"fireList\":[],\"gapList\":[],\"nextCursor\":null}");
    assertThat(run("show", "6")).isZero();
    assertThat(lines(out))
        .startsWith("probe", "  id              6")
        .contains(
            "  state           PAUSED until 2026-11-23 03:00:00+01:00",
            "  made by         no server, slice 1, epoch 1")
        .doesNotContain("");
    assertThat(asked).startsWith("get {\"name\":\"6\"}", "get {\"scheduleId\":\"6\"}");
  }

  @Test
  void aScheduleThatIsNotThereIsOne() {
    answers("get", (String) null);
    assertThat(run("show", "nightly")).isEqualTo(1);
    assertThat(lines(err)).containsExactly("asyncflow: no such schedule (8038)");
  }

  @Test
  void aPreviewIsOfAScheduleOrOfAPlan() {
    answers(
        "preview",
        "{\"times\":[1],\"localTimes\":[\"2026-11-23T03:00:00+01:00\"],\"kind\":\"FIXED\"}");
    assertThat(run("preview", "nightly", "--count", "1")).isZero();
    assertThat(lines(out))
        .containsExactly(
            "2026-11-23T03:00:00+01:00",
            "Each local time fires once, also when the clocks change.");
    assertThat(run("preview", "--cron", "@daily", "--zone", "UTC", "--from", "2026-11-23"))
        .isZero();
    assertThat(run("preview", "--every", "1h30m")).isZero();
    assertThat(asked)
        .containsExactly(
            "get {\"name\":\"nightly\"}",
            "preview {\"cron\":\"0 0 3 * * *\",\"zone\":\"Europe/Berlin\",\"count\":1}",
            "preview {\"cron\":\"@daily\",\"zone\":\"UTC\",\"from\":1795388400000,\"count\":10}",
            "preview {\"everyMs\":5400000,\"count\":10}");
  }

  @Test
  void aPreviewSaysThatAScheduleIsPausedOrHasEnded() {
    answers("preview", "{\"times\":[1],\"localTimes\":[\"t\"],\"kind\":\"INTERVAL\"}");
    answers("get", "{\"scheduleData\":" + PROBE + "}");
    assertThat(run("preview", "probe")).isZero();
    assertThat(lines(out)).startsWith("It is paused until 2026-11-23 03:00:00+01:00.", "t");
    out.reset();
    answers("preview", "{\"times\":[],\"localTimes\":[],\"kind\":\"INTERVAL\"}");
    answers("get", "{\"scheduleData\":" + PROBE.replace("PAUSED", "ENDED") + "}");
    assertThat(run("preview", "probe")).isZero();
    assertThat(lines(out)).containsExactly("It has ended.", "It does not fire.");
    assertThat(asked).last().isEqualTo("preview {\"everyMs\":5400000,\"maxFires\":0,\"count\":10}");
  }

  @Test
  void aPlanThatFollowsItsRunsHasNoPreview() {
    answers("get", "{\"scheduleData\":" + PROBE.replace("everyMs", "afterMs") + "}");
    assertThat(run("preview", "probe")).isEqualTo(1);
    assertThat(lines(err))
        .containsExactly(
            "asyncflow: It fires 1h30m after the end of a run, so its fire times are not known"
                + " before.");
  }

  @Test
  void actsNameTheirOperator() {
    answers("pause", "null");
    answers("resume", "null");
    assertThat(
            run(
                "pause",
                "nightly",
                "--until",
                "2026-11-23T03:00",
                "--operator",
                "ann",
                "--reason",
                "too many"))
        .isZero();
    assertThat(run("resume", "nightly", "--catch-up", "--operator", "ann")).isZero();
    assertThat(lines(out))
        .containsExactly(
            "Paused until 2026-11-23 03:00:00+01:00.",
            "Its next fire is at 2026-11-23 03:00:00+01:00.");
    assertThat(asked)
        .contains(
            "pause {\"scheduleId\":\"7\",\"until\":1795399200000,\"operator\":\"ann\","
                + "\"reason\":\"too many\"}",
            "resume {\"scheduleId\":\"7\",\"catchUp\":1,\"operator\":\"ann\"}");
  }

  @Test
  void anEndedScheduleIsNeitherPausedNorResumed() {
    answers("pause", "null");
    answers("resume", "null");
    answers(
        "get",
        "{\"scheduleData\":" + PROBE.replace("PAUSED", "ENDED").replace("pauseUntil", "x") + "}");
    assertThat(run("pause", "probe")).isZero();
    assertThat(run("resume", "probe")).isZero();
    assertThat(lines(out))
        .containsExactly(
            "It has ended, so there is nothing to pause.", "It has ended: no fire is left.");
  }

  @Test
  void aPausedScheduleShowsNoNextFire() {
    answers("fires", "{\"fireList\":[],\"gapList\":[],\"nextCursor\":null}");
    answers("get", "{\"scheduleData\":" + NIGHTLY.replace("ACTIVE", "PAUSED") + "}");
    assertThat(run("show", "nightly")).isZero();
    assertThat(lines(out)).contains("  next fire       -");
  }

  @Test
  void aScheduleIsDeleted() {
    answers("delete", "null");
    assertThat(run("delete", "nightly", "--operator", "ann", "--reason", "unused")).isZero();
    assertThat(lines(out)).containsExactly("Deleted.");
    assertThat(asked)
        .last()
        .isEqualTo("delete {\"scheduleId\":\"7\",\"operator\":\"ann\",\"reason\":\"unused\"}");
  }

  @Test
  void aFileIsSaved(@TempDir Path directory) throws IOException {
    answers(
        "save", "{\"scheduleId\":\"7\",\"outcome\":\"CREATED\",\"nextFireTime\":" + THREE + "}");
    Path file = directory.resolve("probe.json");
    String definition =
        "{\"name\":\"probe\",\"everyMs\":5400000,\"jobData\":{\"jobType\":\"book\"}}";
    Files.writeString(file, definition);
    assertThat(run("save", file.toString())).isZero();
    assertThat(lines(out))
        .containsExactly("CREATED; its next fire is at 2026-11-23 03:00:00+01:00.");
    assertThat(asked)
        .singleElement()
        .asString()
        .startsWith("save {\"scheduleData\":{\"name\":\"probe\",\"everyMs\":5400000,\"jobData\":{")
        .contains("\"jobType\":\"book\"");
    Files.writeString(file, definition.replace("everyMs", "everyMilli"));
    assertThat(run("save", file.toString())).isEqualTo(1);
    assertThat(lines(err)).singleElement().asString().contains("everyMilli");
  }

  @Test
  void aFileThatDefinesNoScheduleIsOneSentence(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("probe.json");
    assertThat(run("save", file.toString())).isEqualTo(1);
    assertThat(lines(err)).containsExactly("asyncflow: There is no file " + file + ".");
    err.reset();
    Files.writeString(file, "{\n\"name\":\"probe\",\n");
    assertThat(run("save", file.toString())).isEqualTo(1);
    assertThat(lines(err))
        .singleElement()
        .asString()
        .startsWith("asyncflow: " + file + " defines no schedule, in line 3: ")
        .doesNotContain("Source", "REDACTED");
    assertThat(asked).isEmpty();
  }

  @Test
  void aStateMayBeWrittenSmall() {
    answers("list", "{\"scheduleList\":[],\"nextCursor\":null}");
    assertThat(run("list", "--state", "paused")).isZero();
    assertThat(asked).containsExactly("list {\"state\":\"PAUSED\",\"limit\":100}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-11-23T03:00",
        "2026-11-23 03:00:00+01:00",
        "2026-11-23T02:00Z",
        "2026-11-22T18:00:00-08:00"
      })
  void aTimeMayBeWrittenInSeveralWays(String time) {
    answers("pause", "null");
    assertThat(run("pause", "nightly", "--until", time)).isZero();
    assertThat(asked.get(1)).contains("\"until\":" + THREE + ",");
  }

  @Test
  void aTriggerPrintsWhatItCreated() {
    answers("trigger", "{\"taskId\":\"1_report_task_1\"}", "{\"jobId\":\"5\"}");
    assertThat(run("trigger", "nightly", "--key", "k", "--operator", "ann", "--reason", "again"))
        .isZero();
    assertThat(run("trigger", "nightly", "--operator", "ann")).isZero();
    assertThat(lines(out)).containsExactly("1_report_task_1", "job 5");
    assertThat(asked)
        .contains(
            "trigger {\"scheduleId\":\"7\",\"idempotencyKey\":\"k\",\"operator\":\"ann\","
                + "\"reason\":\"again\"}",
            "trigger {\"scheduleId\":\"7\",\"operator\":\"ann\"}");
  }

  @Test
  void aBackfillGoesOnUntilAllIsMade() {
    answers(
        "backfill",
        "{\"made\":1000,\"nextFrom\":1795399200000}",
        "{\"made\":10,\"nextFrom\":null}",
        "{\"made\":5,\"nextFrom\":1795399200000}");
    assertThat(
            run(
                "backfill",
                "nightly",
                "--from",
                "2026-11-20",
                "--to",
                "2026-11-24",
                "--limit",
                "5000",
                "--operator",
                "ann",
                "--reason",
                "missed"))
        .isZero();
    assertThat(lines(out)).containsExactly("Fires made: 1010.");
    assertThat(asked)
        .contains(
            "backfill"
                + " {\"scheduleId\":\"7\",\"from\":1795129200000,\"to\":1795474800000,\"limit\":1000,"
                + "\"operator\":\"ann\",\"reason\":\"missed\"}",
            "backfill"
                + " {\"scheduleId\":\"7\",\"from\":1795399200000,\"to\":1795474800000,\"limit\":1000,"
                + "\"operator\":\"ann\",\"reason\":\"missed\"}");
    out.reset();
    run("backfill", "nightly", "--from", "2026-11-20", "--to", "2026-11-24", "--limit", "5");
    assertThat(lines(out))
        .containsExactly("Fires made: 5.", "There are more from 2026-11-23 03:00:00+01:00 on.");
  }

  @Test
  void answersArePrintedAsJson(@TempDir Path directory) throws IOException {
    String preview = "{\"times\":[1],\"localTimes\":[\"t\"],\"kind\":\"FIXED\"}";
    String saved = "{\"scheduleId\":\"7\",\"outcome\":\"CREATED\",\"nextFireTime\":1}";
    answers("get", "{\"scheduleData\":" + NIGHTLY.replace("ACTIVE", "PAUSED") + "}");
    answers("preview", preview);
    answers("save", saved);
    answers("trigger", "{\"taskId\":\"1_report_task_1\"}");
    answers(
        "backfill",
        "{\"made\":1000,\"nextFrom\":1795399200000}",
        "{\"made\":10,\"nextFrom\":null}",
        "{\"made\":5,\"nextFrom\":1795399200000}");
    Path file = Files.writeString(directory.resolve("probe.json"), "{\"name\":\"probe\"}");
    String[] days = {"backfill", "nightly", "--from", "2026-11-20", "--to", "2026-11-24", "--json"};
    assertThat(run("preview", "nightly", "--json")).isZero();
    assertThat(run("save", file.toString(), "--json")).isZero();
    assertThat(run("trigger", "nightly", "--json")).isZero();
    assertThat(
            run(
                Stream.concat(Stream.of(days), Stream.of("--limit", "5000"))
                    .toArray(String[]::new)))
        .isZero();
    assertThat(
            run(Stream.concat(Stream.of(days), Stream.of("--limit", "5")).toArray(String[]::new)))
        .isZero();
    assertThat(lines(out))
        .containsExactly(
            preview,
            saved,
            "{\"taskId\":\"1_report_task_1\"}",
            "{\"made\":1010}",
            "{\"made\":5,\"nextFrom\":1795399200000}");
  }

  @Test
  void whatIsNotUnderstoodIsTwo() {
    assertRefused("", "Missing required subcommand.");
    assertRefused("", "schedule does not know lst; did you mean list?", "lst");
    assertRefused("", "schedule does not know limit; did you mean list?", "limit");
    assertRefused("", "schedule takes --limit behind its command.", "--limit", "5", "list");
    assertRefused(" show", "show needs NAME.", "show");
    assertRefused(" backfill", "backfill needs --from TIME.", "backfill", "a");
    assertRefused(
        " list",
        "--state wants one of ACTIVE, PAUSED, ENDED, not LOST.",
        "list",
        "--state",
        "LOST");
    assertRefused(" show", "show takes one NAME, and b is another.", "show", "a", "b");
    assertRefused(
        " show",
        "--fires wants a whole number from 1 to 1000, not 0.",
        "show",
        "a",
        "--fires",
        "0");
    assertRefused(" preview", "preview needs one of NAME, --cron and --every.", "preview");
    assertRefused(
        " preview",
        "preview needs one of NAME, --cron and --every.",
        "preview",
        "a",
        "--every",
        "30s");
    assertRefused(" preview", "--zone belongs to --cron.", "preview", "a", "--zone", "UTC");
    assertRefused(
        " preview",
        "--every wants a duration such as 30s or 1h30m, not often.",
        "preview",
        "--every",
        "often");
    assertRefused(
        " pause",
        "--until wants a time such as 2026-11-23T03:00, not tomorrow.",
        "pause",
        "a",
        "--until",
        "tomorrow");
    assertThat(asked).isEmpty();
  }

  @Test
  void aServerIsNeeded() {
    assertThat(execute(Map.of(), "list")).isEqualTo(2);
    assertThat(lines(err))
        .containsExactly(
            "asyncflow: list needs a server: say --url URL or set FLOW_URL.",
            "./asyncflow schedule list --help says more.");
  }

  @Test
  void theEnvironmentNamesTheServerAndTheKey() {
    answers("list", "{\"scheduleList\":[],\"nextCursor\":null}");
    assertThat(execute(Map.of("FLOW_URL", url(), "FLOW_API_KEY", "a-key"), "list")).isZero();
    assertThat(keys).containsExactly("Bearer a-key");
  }

  @Test
  void aServerThatIsNotThereIsThree() {
    assertThat(execute(Map.of(), "list", "--url", NOBODY)).isEqualTo(3);
    assertThat(lines(err))
        .singleElement()
        .asString()
        .endsWith("refuses the connection; check that the server runs and that the URL is right");
  }

  @Test
  void helpNamesTheCommandsAndTheirOptions() {
    assertThat(execute(Map.of(), "--help")).isZero();
    assertThat(out.toString(UTF_8))
        .contains("list", "show", "preview", "save", "pause", "resume", "delete", "trigger")
        .contains("backfill")
        .contains("FLOW_API_KEY_FILE", "3   the server cannot be reached");
    out.reset();
    assertThat(execute(Map.of(), "pause", "--help")).isZero();
    assertThat(out.toString(UTF_8))
        .startsWith("Usage: ./asyncflow schedule pause ")
        .contains("--url", "--until", "--operator", "--reason", "NAME")
        .contains("FLOW_API_KEY_FILE", "3   the server cannot be reached");
  }

  private void assertRefused(String command, String sentence, String... arguments) {
    err.reset();
    assertThat(execute(Map.of("FLOW_URL", url()), arguments)).isEqualTo(2);
    assertThat(lines(err))
        .containsExactly(
            "asyncflow: " + sentence, "./asyncflow schedule" + command + " --help says more.");
    assertThat(lines(out)).isEmpty();
  }

  private String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private int run(String... arguments) {
    return execute(Map.of("FLOW_URL", url()), arguments);
  }

  private int execute(Map<String, String> environment, String... arguments) {
    PrintStream console = new PrintStream(out, true, UTF_8);
    PrintStream errors = new PrintStream(err, true, UTF_8);
    return Asyncflow.of(
            new ScheduleCommand(
                new Terminal(environment, console, System.err, ZoneId.of("Europe/Berlin"))))
        .setOut(new PrintWriter(console, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(errors, true, StandardCharsets.UTF_8))
        .execute(Stream.concat(Stream.of("schedule"), Stream.of(arguments)).toArray(String[]::new));
  }

  /** The results of a call; {@code null} for a refusal. */
  private void answers(String call, String... results) {
    Queue<String> queue = new ArrayDeque<>();
    for (String result : results) {
      queue.add(
          result == null
              ? "{\"code\":8038,\"msg\":\"no such schedule\",\"result\":null}"
              : "{\"code\":0,\"msg\":\"ok\",\"result\":" + result + "}");
    }
    answers.put(call, queue);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String call = exchange.getRequestURI().getPath().replace("/api/schedule/", "");
    keys.add(exchange.getRequestHeaders().getFirst("Authorization"));
    asked.add(call + " " + new String(exchange.getRequestBody().readAllBytes(), UTF_8));
    Queue<String> queue = answers.get(call);
    byte[] body = (queue.size() > 1 ? queue.remove() : queue.peek()).getBytes(UTF_8);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private static List<String> lines(ByteArrayOutputStream printed) {
    return printed.toString(UTF_8).lines().toList();
  }
}
