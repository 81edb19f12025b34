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
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.Map;
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

  @Test
  void whatEndsWhileAnotherServerLeadsIsLeftToIt() {
    String id = cancelled();
    assertThat(ended()).isEqualTo(counts(0));
    endMillisAgo(id, JobStateStore.LATE_COMMIT_MS - 100);
    await().atMost(PATIENCE).until(() -> millisSince(id) > JobStateStore.LATE_COMMIT_MS);
    assertThat(ends.read(2).get(book.name())).as("another term").isEqualTo(counts(0));
    assertThat(ends.read(2).get(book.name())).isEqualTo(counts(0));
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
    return ends.read(1).get(book.name());
  }

  private static Map<JobState, Long> counts(long cancelled) {
    return Map.of(JobState.SUCCESS, 0L, JobState.FAILED, 0L, JobState.CANCELLED, cancelled);
  }
}
