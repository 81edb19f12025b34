package io.asyncflow.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.Job;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobFollower;
import io.asyncflow.api.JobProgress;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.worker.testing.StageHarness;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Splitters and mergers in a whole worker, against a server in memory. */
class JobHandlersTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final FakeFlowServer server =
      new FakeFlowServer()
          .withType("book", Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(30));
  private Worker worker;

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

  private void start(Worker.Builder builder) {
    worker = builder.client(server).stopsWithTheJvm(false).build();
    worker.start();
  }

  private static Worker.Builder loudly() {
    return Worker.builder()
        .handler("book", "loud", c -> StageResult.done(c.rawContext().toUpperCase(Locale.ROOT)));
  }

  private Job awaitEnd(String jobId) {
    await().atMost(PATIENCE).until(() -> server.jobs().getJob(jobId).state().isFinal());
    return server.jobs().getJob(jobId);
  }

  @AfterEach
  void stop() {
    if (worker != null) {
      worker.stop(Duration.ZERO);
    }
  }

  @Test
  void aJobIsSplitRunAndMergedInOrder() throws Exception {
    start(loudly().handlers(new Lines()).handlers(new Joined()));
    String id = server.jobs().createJob(NewJob.of("book", "ann", "one\ntwo\nthree"));
    List<JobProgress> told = new ArrayList<>();
    JobProgress end = new JobFollower(server.jobs(), PATIENCE).follow(id, told::add);
    assertThat(told).doesNotHaveDuplicates().last().isEqualTo(end);
    Job job = server.jobs().getJob(id);
    assertThat(job.state()).isEqualTo(JobState.SUCCESS);
    assertThat(job.result()).isEqualTo("ONE TWO THREE");
    assertThat(job.total()).isEqualTo(3);
  }

  @Test
  void manyChildrenGoInPages() {
    start(
        Worker.builder()
            .handler("book", "count", c -> StageResult.done(c.rawContext()))
            .splitter(
                "book", job -> IntStream.range(0, 2_345).mapToObj(i -> job.child("count", "" + i)))
            .merger(
                "book",
                job ->
                    StageResult.done(
                        "" + job.children().mapToInt(c -> c.result(Integer.class)).sum())));
    Job job = awaitEnd(server.jobs().createJob(NewJob.of("book", "ann", "")));
    assertThat(job.total()).isEqualTo(2_345);
    assertThat(job.result()).isEqualTo("" + 2_345 * 2_344 / 2);
  }

  @Test
  void aSplitThatBreaksOffIsDoneAnew() {
    server.withType(
        "hasty", Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(30));
    AtomicInteger runs = new AtomicInteger();
    start(
        Worker.builder()
            .handler("hasty", "one", c -> StageResult.done())
            .splitter(
                "hasty",
                job ->
                    IntStream.range(0, runs.incrementAndGet() == 1 ? 1_500 : 3)
                        .peek(
                            i -> {
                              if (i == 1_400) {
                                throw new IllegalStateException("half way");
                              }
                            })
                        .mapToObj(i -> job.child("one", i)))
            .merger("hasty", job -> StageResult.done("" + job.children().count())));
    Job job = awaitEnd(server.jobs().createJob(NewJob.of("hasty", "ann", "")));
    assertThat(job.result()).isEqualTo("3");
    assertThat(runs).hasValue(2);
  }

  @Test
  void aLostAnswerSendsThePageAgain() {
    AtomicInteger runs = new AtomicInteger();
    start(
        loudly()
            .splitter(
                "book",
                job -> {
                  runs.incrementAndGet();
                  return Stream.of(job.child("loud", "a"), job.child("loud", "b"))
                      .peek(child -> server.swallowAnswers(1));
                })
            .merger("book", new Joined()));
    Job job = awaitEnd(server.jobs().createJob(NewJob.of("book", "ann", "")));
    assertThat(job.result()).isEqualTo("A B");
    assertThat(runs).hasValue(1);
  }

  @Test
  void aTaskOfNoJobIsNotSplit() throws Exception {
    start(loudly().handlers(new Lines()));
    String taskId = server.createTask(NewTask.of("book", "split", "ann", ""));
    assertThat(server.awaitStatus(taskId, TaskStatus.FAILED, PATIENCE)).isTrue();
    assertThat(server.getTask(taskId).scheduleLog()).contains("belongs to no job");
  }

  @Test
  void splitterAndMergerHaveStagesOfTheirOwn() {
    @Stage(type = "book", stage = "tear")
    class Misplaced extends Lines {}
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Worker.builder().handlers(new Misplaced()))
        .withMessageContaining("JobSplitter for the stage split");
  }

  @Test
  void theHarnessRunsThem() throws Exception {
    StageHarness run = StageHarness.run("split");
    assertThat(run.split(new Lines(), "a\nb"))
        .extracting(JobChild::taskContext)
        .containsExactly("a", "b");
    assertThat(run.merge(new Joined(), List.of("x", "y"))).isEqualTo(StageResult.done("x y"));
  }
}
