package io.asyncflow.flowsvr.job.upkeep;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.job.HandDrivenServer;
import io.asyncflow.flowsvr.job.Jobs;
import io.asyncflow.flowsvr.job.steps.JobSteps;
import io.asyncflow.flowsvr.pulse.count.Durations.ByObjective;
import io.asyncflow.flowsvr.pulse.count.Objectives;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What a server counts of the jobs that end while it leads. */
@HandDrivenServer
@Tag("contract")
class JobEndsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Autowired Given given;
  @Autowired JobSteps steps;
  @Autowired JobStateStore store;
  @Autowired JdbcClient jdbc;
  @LocalServerPort int port;
  private Jobs jobs;
  private TaskType book;
  private JobEnds ends;

  @BeforeEach
  void aServerThatBeginsToLead() {
    jobs = new Jobs(port);
    book = given.aType().create();
    ends = new JobEnds(store);
  }

  /** Their rows are not those of any life. */
  @AfterEach
  void noJobs() {
    jdbc.sql("DELETE FROM t_job WHERE job_type = :type").param("type", book.name()).update();
  }

  @Test
  void jobThatEndsIsCountedOnceSomeSecondsLater() {
    String id = cancelled();
    assertThat(ended()).isEqualTo(counts(0));
    endMillisAgo(id, -60_000); // as a commit that is late
    assertThat(ended()).as("others may not have committed by then").isEqualTo(counts(0));
    endMillisAgo(id, JobStateStore.LATE_COMMIT_MS - 100);
    await().atMost(PATIENCE).until(() -> ended().equals(counts(1)));
    assertThat(ended()).isEqualTo(counts(1));
  }

  /** As on a new installation. */
  @Test
  void firstJobOfAllIsCounted() {
    jdbc.sql("DELETE FROM t_job").update();
    assertThat(ends.read(1)).isEmpty();
    String id = cancelled();
    assertThat(ended()).isEqualTo(counts(0));
    endMillisAgo(id, JobStateStore.LATE_COMMIT_MS - 100);
    await().atMost(PATIENCE).until(() -> ended().equals(counts(1)));
  }

  @Test
  void whatEndsWhileAnotherServerLeadsIsLeftToIt() {
    String id = cancelled();
    assertThat(ended()).isEqualTo(counts(0));
    endMillisAgo(id, JobStateStore.LATE_COMMIT_MS - 100);
    await().atMost(PATIENCE).until(() -> millisSince(id) > JobStateStore.LATE_COMMIT_MS);
    assertThat(endedIn(2).states()).as("another term").isEqualTo(counts(0));
    assertThat(endedIn(2).states()).isEqualTo(counts(0));
  }

  /** As after a weekend without scrapes. */
  @Test
  void longTimeIsReadInParts() {
    cancelled();
    assertThat(store.endedAfter(1L, 10_000).until()).isEqualTo(10_001);
  }

  @Test
  void jobsThatSucceedOrFailAreCountedByHowLongTheyTook() {
    List<String> ids = List.of(cancelled(), cancelled(), cancelled(), cancelled());
    endedIn(1);
    took(ids.get(0), JobState.SUCCESS, 1_000);
    took(ids.get(1), JobState.FAILED, 1_001);
    took(ids.get(2), JobState.FAILED, -5); // the clock was set back
    took(ids.get(3), JobState.CANCELLED, 100);
    await().atMost(PATIENCE).until(() -> Collections.min(endedIn(1).states().values()) == 1);
    ByObjective lives = endedIn(1).lives();
    assertThat(lives.counts())
        .isEqualTo(new long[] {1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    assertThat(lives.sumSeconds()).isEqualTo(2.001);
    assertThat(endedIn(1).states()).containsEntry(JobState.FAILED, 2L);
  }

  private void took(String id, JobState state, int millis) {
    jdbc.sql(
            sql(
                """
                UPDATE t_job
                SET state = :state,
                    end_time = now_ms - :late,
                    create_time = end_time - :millis
                WHERE id = :id
                """))
        .param("state", state.name())
        .param("late", JobStateStore.LATE_COMMIT_MS - 100)
        .param("millis", millis)
        .param("id", id)
        .update();
  }

  @Test
  void databaseFindsTheObjectiveThatADurationMeets() {
    double[] bounds = Objectives.seconds();
    for (int i = 0; i < bounds.length - 1; i++) {
      long bound = Math.round(bounds[i] * 1_000);
      assertThat(objectiveOf(bound)).as("%d ms", bound).isEqualTo(i);
      assertThat(objectiveOf(bound + 1)).as("%d ms and one more", bound).isEqualTo(i + 1);
    }
  }

  private int objectiveOf(long ms) {
    return jdbc.sql("SELECT " + Objectives.sql(Long.toString(ms))).query(Integer.class).single();
  }

  private String cancelled() {
    String id = jobs.jobs.createJob(NewJob.of(book.name(), "ann", "text"));
    jobs.jobs.cancelJob(id);
    steps.advance(Long.parseLong(id));
    assertThat(jobs.get(id).state()).isEqualTo(JobState.CANCELLED);
    return id;
  }

  private void endMillisAgo(String id, int millis) {
    jdbc.sql(sql("UPDATE t_job SET end_time = now_ms - :millis WHERE id = :id"))
        .param("millis", millis)
        .param("id", id)
        .update();
  }

  private long millisSince(String id) {
    return jdbc.sql(sql("SELECT now_ms - end_time FROM t_job WHERE id = :id"))
        .param("id", id)
        .query(Long.class)
        .single();
  }

  private Map<JobState, Long> ended() {
    return endedIn(1).states();
  }

  private EndedJobs endedIn(long term) {
    return ends.read(term).get(book.name());
  }

  private static Map<JobState, Long> counts(long cancelled) {
    return Map.of(JobState.SUCCESS, 0L, JobState.FAILED, 0L, JobState.CANCELLED, cancelled);
  }
}
