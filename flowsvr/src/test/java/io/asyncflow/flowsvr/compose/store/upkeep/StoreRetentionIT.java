package io.asyncflow.flowsvr.compose.store.upkeep;

import static io.asyncflow.flowsvr.task.table.Freshness.NOW;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.StoredText;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskAct;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.compose.job.Jobs;
import io.asyncflow.flowsvr.compose.store.ContextStore;
import io.asyncflow.flowsvr.compose.store.ContextStore.Entry;
import io.asyncflow.flowsvr.compose.store.Upload;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.operate.operator.Expected;
import io.asyncflow.flowsvr.operate.operator.OperatorActs;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.rules.TaskActs.Arguments;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Which objects go, by the rows of a real database. */
@RunningServer
class StoreRetentionIT {

  @LocalServerPort int port;
  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired ContextStore store;
  @Autowired StoreRetention retention;
  @Autowired OperatorActs acts;
  @Autowired TaskFamilies families;
  @Autowired Node node;

  private TaskType type;
  private Instant later;

  @BeforeEach
  void aType() {
    type = given.aType().create();
    later = node.wallClock().plus(Duration.ofDays(1));
  }

  private Task held() {
    given.aWaitingTask().ofType(type).inStage("render").create();
    return given.aHold(type).theTask();
  }

  private StoreKey put(Task task, String name, String text) throws IOException {
    StoreKey key = StoreKey.of(task.taskId(), task.taskStage(), task.leaseEpoch(), name);
    put(key, text);
    return key;
  }

  private void put(StoreKey key, String text) throws IOException {
    byte[] bytes = text.getBytes(UTF_8);
    store.put(key, new Upload(new ByteArrayInputStream(bytes), bytes.length, null), () -> {});
  }

  private int collect(Task task) throws IOException {
    return retention.collect(List.of(task.taskId()), later);
  }

  private List<StoreKey> keysOf(Task task) throws IOException {
    return store.entries(task.taskId()).stream().map(Entry::key).toList();
  }

  @Test
  void holdThatMayReportKeepsWhatItHasStored() throws IOException {
    Task task = held();
    StoreKey piece = put(task, "piece", "sound");
    assertThat(collect(task)).isZero();

    given.set(Given.idOf(task), "status = 1"); // lost, and nobody has held it since
    assertThat(collect(task)).isZero();

    Task again = given.aHold(type).by("another").theTask();
    assertThat(collect(again)).isEqualTo(1);
    assertThat(store.open(piece)).isEmpty();
  }

  @Test
  void whatTheRowNamesStaysAndTheRestGoes() throws IOException {
    Task first = held();
    StoreKey piece = put(first, "piece", "sound");
    put(first, "draft", "noise");
    given.reportOn(first).nextStage("join", "[\"" + piece.reference() + "\"]", null);
    assertThat(collect(first)).isEqualTo(1);
    assertThat(keysOf(first)).containsExactly(piece);

    Task second = given.aHold(type).theTask();
    StoreKey text = put(second, "_result", "{\"piece\":\"" + piece.reference() + "\"}");
    put(second, "scratch", "x");
    given.reportOn(second).success(new StoredText(text, 1).toString());

    assertThat(collect(first)).isEqualTo(1);
    assertThat(keysOf(first)).containsExactlyInAnyOrder(piece, text);
  }

  @Test
  void whatIsYoungStays() throws IOException {
    Task task = held();
    put(task, "piece", "sound");
    given.reportOn(task).success("nothing of it");

    assertThat(retention.collect(List.of(task.taskId()), Instant.EPOCH)).isZero();
    assertThat(collect(task)).isEqualTo(1);
  }

  @Test
  void objectsGoWithTheTableOfTheirTask() throws IOException {
    Task task = held();
    put(task, "piece", "sound");
    given.reportOn(task).success(keysOf(task).get(0).reference());
    assertThat(collect(task)).isZero();

    given.nextTable(type);
    jdbc.sql(
            """
            UPDATE t_schedule_pos
            SET schedule_first_pos = 2, schedule_begin_pos = 2
            WHERE task_type = :type
            """)
        .param("type", type.name())
        .update();

    await().atMost(Duration.ofSeconds(30)).until(() -> collect(task) == 1);
    assertThat(keysOf(task)).isEmpty();
  }

  /** Rolls, and waits until the tables before are drained. */
  private void roll() {
    TaskTable next = given.nextTable(type);
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> families.find(type, NOW).orElseThrow().begin().equals(next));
  }

  /** Drops all tables before this one, as far as anybody can see. */
  private void dropBefore(int table) {
    jdbc.sql("UPDATE t_schedule_pos SET schedule_first_pos = :first WHERE task_type = :type")
        .param("first", table)
        .param("type", type.name())
        .update();
    TaskTable dropped = new TaskTable(type, table - 1);
    await().atMost(Duration.ofSeconds(30)).until(() -> families.hasDropped(dropped));
  }

  private Task retriedAndHeld(Task failed) {
    roll();
    acts.act(
        Given.idOf(failed),
        TaskAct.RETRY,
        Arguments.NONE,
        Expected.ANYTHING,
        new Reason("ann", ""));
    Task copy = given.aHold(type).theTask();
    assertThat(copy.taskId()).isNotEqualTo(failed.taskId());
    return copy;
  }

  @Test
  void copyThatARetryHasMadeKeepsWhatItNamesOfItsOriginal() throws IOException {
    Task first = held();
    StoreKey piece = put(first, "piece", "sound");
    StoreKey text = put(first, "_context", "{\"piece\":\"" + piece.reference() + "\"}");
    given.reportOn(first).nextStage("join", new StoredText(text, 1).toString(), null);
    Task second = given.aHold(type).theTask();
    StoreKey draft = put(second, "draft", "noise");
    given.reportOn(second).fail("no voice");

    Task copy = retriedAndHeld(second);
    dropBefore(2);
    assertThat(collect(first)).isEqualTo(1);
    assertThat(keysOf(first)).containsExactlyInAnyOrder(piece, text).doesNotContain(draft);

    StoreKey own = put(copy, "_context", "[\"" + piece.reference() + "\"]");
    given.reportOn(copy).nextStage("send", new StoredText(own, 1).toString(), null);
    assertThat(collect(first)).as("what only named it").isEqualTo(1);
    assertThat(keysOf(first)).containsExactly(piece);

    given.reportOn(given.aHold(type).theTask()).fail("no line");
    Task last = retriedAndHeld(copy);
    dropBefore(3);
    assertThat(collect(first) + collect(copy)).as("a copy of the copy names them").isZero();

    given.reportOn(last).success("sent");
    given.set(Given.idOf(last), "task_context = ''");
    assertThat(collect(first) + collect(copy)).isEqualTo(2);
  }

  @Test
  void childThatTheRetryOfItsJobHasCopiedKeepsWhatItNamesOfItsOriginal() throws IOException {
    Jobs jobs = new Jobs(port);
    String job = jobs.running(NewJob.of(type.name(), "ann", "input"), 1);
    Task child = jobs.hold(type.name(), "child");
    StoreKey piece = put(child, "piece", "sound");
    put(child, "draft", "noise");
    given.reportOn(child).nextStage("join", piece.reference(), null);
    jobs.fail(jobs.hold(type.name(), "join"), "no voice");
    jobs.awaitState(job, JobState.FAILED);

    roll();
    jobs.jobs.retryJob(job);
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> !jobs.tasks(job).get(0).taskId().equals(child.taskId()));
    dropBefore(2);
    assertThat(collect(child)).as("while the copy waits").isEqualTo(1);
    assertThat(keysOf(child)).containsExactly(piece);

    Task copy = jobs.hold(type.name(), "join");
    assertThat(copy.taskContext()).isEqualTo(piece.reference());
    given.reportOn(copy).success("joined");
    given.set(Given.idOf(copy), "task_context = ''");
    assertThat(collect(child)).isEqualTo(1);
  }

  @Test
  void nothingIsKnownOfATypeThatIsNotThere() throws IOException {
    StoreKey key = StoreKey.of("1_deletedtype_task_1", "s", 1, "a");
    put(key, "x");

    assertThat(retention.collect(List.of(key.taskId()), later)).isZero();
  }

  @Test
  void taskOfAnotherDatabaseThatUsesTheStoreKeepsItsObjects() throws IOException {
    TaskId own = Given.idOf(held());
    StoreKey ofAnother = StoreKey.of(new TaskId(own.number() + 1, own.table()) + "", "s", 1, "a");
    put(ofAnother, "x");

    assertThat(retention.collect(List.of(ofAnother.taskId()), later)).isZero();
    assertThat(store.open(ofAnother)).isPresent();
  }

  @Test
  void splitKeepsWhatItsChildrenAreMadeOf() throws IOException {
    Jobs jobs = new Jobs(port);
    jobs.jobs.createJob(NewJob.of(type.name(), "ann", "input"));
    Task split = jobs.hold(type.name(), "split");
    StoreKey ofChild = put(split, "_child-0", "large");
    jobs.stage(split, 0, 1);
    given.reportOn(split).success(null);

    assertThat(collect(split)).isZero();
    assertThat(keysOf(split)).containsExactly(ofChild);
  }

  @Test
  void roundLooksAtAllTasksAndComesAroundAgain() throws IOException {
    Task task = held();
    put(task, "piece", "sound");
    given.reportOn(task).success("nothing of it");

    retention.runOnce(later);
    assertThat(keysOf(task)).isEmpty();

    put(task, "piece", "sound");
    retention.runOnce(later);
    assertThat(keysOf(task)).isEmpty();
  }
}
