package io.asyncflow.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobState;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Report;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.StoredText;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.Team;
import io.asyncflow.api.codec.CodecException;
import io.asyncflow.api.codec.SealedText;
import io.asyncflow.api.codec.SealingFlowClient;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.SaveOutcome;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.seal.SealKeys;
import io.asyncflow.seal.TinkCodec;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whole workers with a codec, against a server in memory that takes sealed texts alone. */
class SealedRunsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String SECRET = "the-secret";
  private static final String LARGE = (SECRET + " ").repeat(1_000);

  private final FakeFlowServer server =
      new FakeFlowServer()
          .withType("book", Duration.ofSeconds(30), Duration.ofSeconds(60), Duration.ofSeconds(60))
          .withType("page", Duration.ofSeconds(30), Duration.ofSeconds(60), Duration.ofSeconds(60));
  private final SealKeys keys = SealKeys.generate();
  private final FlowClient flow = new SealingFlowClient(server, new TinkCodec(keys));
  private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
  private Worker worker;

  SealedRunsTest() {
    server.saveTaskType(TaskTypeSettings.named("book").withSealed(1));
    server.saveTaskType(TaskTypeSettings.named("page").withSealed(1));
  }

  private void start(Worker.Builder builder) {
    worker = builder.codec(new TinkCodec(keys)).client(server).stopsWithTheJvm(false).build();
    worker.start();
  }

  @AfterEach
  void stop() {
    if (worker != null) {
      worker.stop(Duration.ZERO);
    }
  }

  private String create(String stage, String context) {
    return flow.createTask(NewTask.of("book", stage, "ann", context));
  }

  private void awaitStatus(String taskId, TaskStatus status) throws InterruptedException {
    assertThat(server.awaitStatus(taskId, status, PATIENCE)).as(taskId).isTrue();
  }

  private String awaitSeen() throws InterruptedException {
    return seen.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(UTF_8));
  }

  private static String read(InputStream in) throws Exception {
    try (in) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  @Test
  void handlersSeePlainTextsAndTheServerSealedOnes() throws Exception {
    start(
        Worker.builder()
            .handler("book", "one", c -> StageResult.next("two", c.rawContext() + " 1"))
            .handler("book", "two", c -> StageResult.done(c.rawContext() + " 2")));
    String id = create("one", SECRET);
    awaitStatus(id, TaskStatus.SUCCESS);

    Task task = flow.getTask(id);
    assertThat(task.taskContext()).isEqualTo(SECRET + " 1");
    assertThat(task.result()).isEqualTo(SECRET + " 1 2");
    assertThat(flow.getTaskList("book", TaskPageRequest.of()).taskList())
        .extracting(Task::result)
        .containsExactly(task.result());
    assertThat(SealedText.isSealed(server.getTask(id).taskContext())).isTrue();
    assertThat(SealedText.isSealed(server.getTask(id).result())).isTrue();
    assertThat(server.reports().toString()).doesNotContain(SECRET);
  }

  @Test
  void textsThatAreTooLargeForARowAreSealedBeforeTheyAreStored() throws Exception {
    start(
        Worker.builder()
            .handler("book", "one", c -> StageResult.next("two", LARGE))
            .handler("book", "two", c -> StageResult.done(c.rawContext())));
    String id = create("one", "");
    awaitStatus(id, TaskStatus.SUCCESS);

    Task task = flow.getTask(id);
    assertThat(StoredText.parse(task.result())).isPresent();
    assertThat(flow.store().textOf(task.result())).isEqualTo(LARGE);
    assertThat(flow.store().textOf(task.taskContext())).isEqualTo(LARGE);
    for (String reference : server.objects().references()) {
      StoreKey key = StoreKey.ofReference(reference).orElseThrow();
      assertThat(read(server.objects().open(key))).startsWith(SealedText.BEGINNING);
    }
  }

  @Test
  void aTextThatFitsOnlyUnsealedIsStored() throws Exception {
    String justFits = "x".repeat(StoredText.MOST_BYTES_IN_A_ROW);
    start(Worker.builder().handler("book", "one", c -> StageResult.done(justFits)));
    String id = create("one", "");
    awaitStatus(id, TaskStatus.SUCCESS);
    assertThat(flow.store().textOf(flow.getTask(id).result())).isEqualTo(justFits);
  }

  @Test
  void objectsAreSealedAndTheirNamesStayVisible() throws Exception {
    start(
        Worker.builder()
            .handler("book", "one", c -> StageResult.next("two", c.store("a.txt", stream(LARGE))))
            .handler("book", "two", c -> StageResult.done(read(c.open(c.rawContext())).length())));
    String id = create("one", "");
    awaitStatus(id, TaskStatus.SUCCESS);

    StoreKey key = new StoreKey(id, "one", 1, "a.txt");
    assertThat(flow.getTask(id).result()).isEqualTo("" + LARGE.length());
    assertThat(read(server.store().open(key)))
        .startsWith(SealedText.BEGINNING)
        .doesNotContain(SECRET);
    assertThat(read(flow.store().open(key))).isEqualTo(LARGE);
    // Else the server would remove the object, since no row names it.
    assertThat(server.getTask(id).taskContext()).contains(key.toString());
  }

  @Stage(type = "book", stage = "split")
  static class Lines implements JobSplitter {
    @Override
    public Stream<JobChild> split(SplitContext job) throws IOException {
      return job.inputText().lines().map(line -> job.child("loud", line));
    }
  }

  @Stage(type = "book", stage = "merge")
  static class Joined implements JobMerger {
    @Override
    public StageResult merge(MergeContext job) {
      return StageResult.done(
          job.children().map(ChildResult::rawResult).collect(Collectors.joining(" ")));
    }
  }

  private static Worker.Builder loudly() {
    return Worker.builder()
        .handlers(new Lines())
        .handlers(new Joined())
        .handler("page", "loud", c -> StageResult.done(c.rawContext().toUpperCase(Locale.ROOT)));
  }

  private Job awaitEnd(String jobId) {
    await().atMost(PATIENCE).until(() -> server.jobs().getJob(jobId).state().isFinal());
    return flow.jobs().getJob(jobId);
  }

  @Test
  void aJobIsSplitRunAndMergedSealed() throws Exception {
    start(loudly());
    String large = "x".repeat(5_000);
    String id =
        flow.jobs().createJob(NewJob.of("book", "ann", "one\n" + large).withChildType("page"));
    Job job = awaitEnd(id);

    assertThat(job.state()).isEqualTo(JobState.SUCCESS);
    String result = "ONE " + large.toUpperCase(Locale.ROOT);
    assertThat(flow.store().textOf(job.result())).isEqualTo(result);
    assertThat(read(flow.jobs().openJobInput(id))).isEqualTo("one\n" + large);
    List<JobTask> children = flow.jobs().getJobTasks(id, 10, null).taskList();
    assertThat(children.get(0).result()).isEqualTo("ONE");
    String stored = flow.getTask(children.get(1).taskId()).taskContext();
    assertThat(StoredText.parse(stored)).isPresent();
    assertThat(flow.store().textOf(stored)).as("stored by the split").isEqualTo(large);
    assertThat(read(server.jobs().openJobInput(id))).startsWith(SealedText.BEGINNING);
    assertThat(
            SealedText.isSealed(server.jobs().getJobTasks(id, 1, null).taskList().get(0).result()))
        .isTrue();
  }

  private static String read(Reader in) throws IOException {
    StringWriter whole = new StringWriter();
    try (in) {
      in.transferTo(whole);
    }
    return whole.toString();
  }

  @Test
  void childrenThatAreGivenAreSealed() throws Exception {
    start(loudly());
    NewJob given =
        NewJob.ofChildren(
                "book",
                "ann",
                List.of(new JobChild("loud", "a", null), new JobChild("loud", "b", null)))
            .withChildType("page")
            .withMerge(true);
    Job job = awaitEnd(flow.jobs().createJob(given.withIdempotencyKey("once")));
    assertThat(job.result()).isEqualTo("A B");
  }

  @Test
  void reportsCreateSealedTasks() throws Exception {
    start(
        Worker.builder()
            .handler(
                "book",
                "one",
                c -> StageResult.done().andCreate(NewTask.of("page", "two", c.userId(), SECRET)))
            .handler(
                "page",
                "two",
                c -> {
                  seen.add(c.rawContext());
                  return StageResult.done();
                }));
    create("one", "");
    assertThat(awaitSeen()).isEqualTo(SECRET);
    assertThat(server.reports().toString()).doesNotContain(SECRET);
  }

  @Test
  void schedulesAreSealedAlikeEachTime() throws Exception {
    NewSchedule schedule =
        NewSchedule.every("hourly", Duration.ofHours(1))
            .creating(NewTask.of("book", "one", "ann", SECRET));
    start(
        Worker.builder()
            .schedule(schedule)
            .handler(
                "book",
                "one",
                c -> {
                  seen.add(c.rawContext());
                  return StageResult.done();
                }));
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(FlowException.class)
        .until(
            () -> flow.schedules().find("hourly").definition().taskData().taskContext(),
            SECRET::equals);
    assertThat(flow.schedules().save(schedule).outcome()).isEqualTo(SaveOutcome.UNCHANGED);
    assertThat(server.schedules().find("hourly").definition().toString()).doesNotContain(SECRET);
    flow.schedules().trigger(flow.schedules().find("hourly").scheduleId(), null);
    assertThat(awaitSeen()).isEqualTo(SECRET);
  }

  @Test
  void aRepeatedCreateIsTheSameTaskInEveryProcess() {
    NewTask task = NewTask.of("book", "one", "ann", SECRET).withIdempotencyKey("order-7");
    FlowClient other = new SealingFlowClient(server, new TinkCodec(keys));
    assertThat(other.createTask(task)).isEqualTo(flow.createTask(task));
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> other.createTask(task.withTaskContext("another")))
        .returns(ErrorCode.IDEMPOTENCY_CONFLICT, FlowException::errorCode);
  }

  @Test
  void plainTextsAreRefusedWhereTheyMustBeSealed() {
    NewTask task = NewTask.of("book", "one", "ann", SECRET);
    NewJob job = NewJob.of("book", "ann", SECRET);
    NewJob team = NewJob.ofTeam("book", "ann", Team.of(1, "one", SECRET));
    NewSchedule schedule = NewSchedule.every("s", Duration.ofHours(1)).creating(task);
    for (Runnable call :
        List.<Runnable>of(
            () -> server.createTask(task),
            () -> server.jobs().createJob(job),
            () -> server.jobs().createJob(team),
            () -> server.schedules().save(schedule))) {
      assertThatExceptionOfType(FlowException.class)
          .isThrownBy(call::run)
          .returns(ErrorCode.SEALING_RULE, FlowException::errorCode)
          .withMessageContaining("must be sealed");
    }
  }

  @Test
  void aScheduleOfBeforeThatRuleCreatesNothing() {
    server.saveTaskType(TaskTypeSettings.named("book").withSealed(0));
    NewSchedule schedule =
        NewSchedule.every("s", Duration.ofHours(1))
            .anchor(Instant.now().minus(Duration.ofMinutes(30)))
            .creating(NewTask.of("book", "one", "ann", SECRET));
    String id = server.schedules().save(schedule).scheduleId();
    server.saveTaskType(TaskTypeSettings.named("book").withSealed(1));
    for (Runnable call :
        List.<Runnable>of(
            () -> server.schedules().trigger(id, null),
            () -> server.schedules().backfill(id, hourAgo(), Instant.now(), 10))) {
      assertThatExceptionOfType(FlowException.class)
          .isThrownBy(call::run)
          .returns(ErrorCode.SEALING_RULE, FlowException::errorCode);
    }
  }

  private static Instant hourAgo() {
    return Instant.now().minus(Duration.ofHours(1));
  }

  @Test
  void aWorkerWithoutACodecFailsItsRunsAndItsPlainResults() throws Exception {
    worker =
        Worker.builder()
            .client(server)
            .stopsWithTheJvm(false)
            .handler("book", "one", c -> StageResult.done(c.rawContext()))
            .handler("book", "two", c -> StageResult.done("plain"))
            .build();
    worker.start();
    server.saveTaskType(TaskTypeSettings.named("book").withMaxRetryNum(0));
    awaitStatus(create("one", SECRET), TaskStatus.FAILED);
    awaitStatus(create("two", ""), TaskStatus.FAILED);
    assertThat(server.reports().stream().map(Report::errMsg).filter(why -> why != null))
        .anySatisfy(why -> assertThat(why).contains("no codec"))
        .anySatisfy(why -> assertThat(why).contains("result must be sealed"));
  }

  @Test
  void whatWasMovedToAnotherUserIsNotOpened() {
    String id = create("one", SECRET);
    String sealed = server.getTask(id).taskContext();
    String moved = server.createTask(NewTask.of("book", "one", "bob", sealed));
    assertThatExceptionOfType(CodecException.class).isThrownBy(() -> flow.getTask(moved));
    assertThat(flow.getTaskList("book", TaskPageRequest.of()).taskList())
        .as("a list shows the others all the same")
        .extracting(Task::taskContext)
        .containsExactlyInAnyOrder(SECRET, sealed);
  }
}
