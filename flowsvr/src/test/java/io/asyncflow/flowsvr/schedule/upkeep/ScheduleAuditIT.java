package io.asyncflow.flowsvr.schedule.upkeep;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.api.schedule.ScheduleFire;
import io.asyncflow.api.schedule.ScheduleListRequest;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.job.Jobs;
import io.asyncflow.rules.TaskType;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

/** What a kill leaves of schedules, and the rounds that repair it. */
@UnsweptServer
@TestPropertySource(properties = "flow.governance.cleaning-interval=1h")
@Tag("contract")
class ScheduleAuditIT {

  private static final Duration LONG = ofSeconds(30);
  private static final Duration HOUR = Duration.ofHours(1);

  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired DataSource database;
  @Autowired ScheduleAudit audit;
  @LocalServerPort int port;
  private ScheduleClient schedules;
  private Jobs jobs;
  private TaskType report;
  private final String name = "s-" + UUID.randomUUID();

  @BeforeEach
  void aType() {
    schedules = new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null).schedules();
    jobs = new Jobs(port);
    report = given.aType().create();
  }

  @AfterEach
  void leaveNoSchedule() {
    jdbc.sql("DELETE FROM t_schedule WHERE id < 100000").update();
    jdbc.sql("DELETE FROM t_job WHERE id < 100000").update();
    ScheduleListRequest all = ScheduleListRequest.all();
    schedules.list(all).scheduleList().forEach(one -> schedules.delete(one.scheduleId()));
  }

  private ScheduleFire fire(String id) {
    return await()
        .atMost(LONG)
        .pollInterval(ofMillis(50))
        .until(() -> schedules.fires(id, 10, null).fireList(), found -> !found.isEmpty())
        .get(0);
  }

  /** Makes a job of a schedule, and ends it; its fire knows the end. */
  private ScheduleFire anEndedJob(String id) {
    ScheduleFire fire = fire(id);
    jobs.success(jobs.hold(report.name(), "split"), null);
    jobs.success(jobs.hold(report.name(), "merge"), "done");
    await().atMost(LONG).until(() -> fire(id).status() != null);
    assertThat(jobs.get(fire.jobId()).state()).isEqualTo(JobState.SUCCESS);
    return fire;
  }

  /** The server was killed between the end of a job and the record of it, so long ago. */
  private long loseEnd(ScheduleFire fire, Duration ago) {
    String day =
        DateTimeFormatter.BASIC_ISO_DATE.format(
            Instant.ofEpochMilli(fire.fireTime()).atOffset(ZoneOffset.UTC).toLocalDate());
    jdbc.sql("UPDATE t_schedule_fire_" + day + " SET end_status = NULL WHERE job_id = ?")
        .param(fire.jobId())
        .update();
    jdbc.sql("UPDATE t_job SET end_time = end_time - ? WHERE id = ?")
        .param(ago.toMillis())
        .param(fire.jobId())
        .update();
    return jdbc.sql("SELECT end_time FROM t_job WHERE id = ?")
        .param(fire.jobId())
        .query(Long.class)
        .single();
  }

  private NewSchedule ofJobs(Duration after) {
    return NewSchedule.after(name, after).creating(NewJob.of(report.name(), "ops", "text"));
  }

  @Test
  void anEndThatWasLostLongAgoIsFound() {
    String id = schedules.save(ofJobs(HOUR)).scheduleId();
    ScheduleFire fire = anEndedJob(id);
    long endedAt = loseEnd(fire, Duration.ofMinutes(30));

    audit.runOnce();

    assertThat(fire(id).status()).isEqualTo(TaskStatus.SUCCESS.code());
    assertThat(fire(id).endTime()).as("the end of the job").isEqualTo(endedAt);
  }

  @Test
  void anEndThatWasLostIsFoundBehindAThousandOthers() {
    String id = schedules.save(ofJobs(HOUR)).scheduleId();
    ScheduleFire fire = anEndedJob(id);
    loseEnd(fire, Duration.ZERO);
    addThousandJobsThatEndedBefore(fire.jobId());

    audit.runOnce();

    assertThat(fire(id).status()).isEqualTo(TaskStatus.SUCCESS.code());
  }

  private void addThousandJobsThatEndedBefore(String jobId) {
    jdbc.sql(
            """
            INSERT INTO t_job (id, user_id, job_type, child_type, body_hash, input_bytes, state,
              split_number, split_table, create_time, modify_time, end_time, schedule_id, fire_time)
            SELECT a.slice * 64 + b.slice + 1, j.user_id, j.job_type, j.child_type, j.body_hash,
              j.input_bytes, j.state, j.split_number, j.split_table, j.create_time, j.modify_time,
              j.end_time - 1 - b.slice, 1, j.fire_time
            FROM t_job j
            JOIN t_schedule_slice a
            JOIN t_schedule_slice b
            WHERE j.id = ?
              AND b.slice < 16
            """)
        .param(jobId)
        .update();
  }

  @Test
  void aScheduleWhoseRunOutlastedTheHistoryPausesFromTheEndOfTheRun() {
    String id = schedules.save(ofJobs(HOUR)).scheduleId();
    long endedAt = loseEnd(anEndedJob(id), Duration.ofMinutes(30));
    jdbc.sql("UPDATE t_job SET fire_time = fire_time - 2592000000 WHERE schedule_id = ?")
        .param(id)
        .update();
    standStill(id);
    jdbc.sql("UPDATE t_schedule SET last_fire_time = last_fire_time - 2592000000 WHERE id = ?")
        .param(id)
        .update();

    audit.runOnce();

    assertThat(schedules.get(id).nextFireTime()).isEqualTo(endedAt + HOUR.toMillis());
  }

  /** Nothing but the end of its last run wakes it. */
  private void standStill(String id) {
    jdbc.sql("UPDATE t_schedule SET next_fire_time = NULL, wake_time = NULL WHERE id = ?")
        .param(id)
        .update();
  }

  @Test
  void aScheduleThatStandsStillIsFoundBehindTwelveThousandThatWait() {
    NewTask task = NewTask.of(report.name(), "build", "ops", "{}");
    String id = schedules.save(NewSchedule.after(name, HOUR).creating(task)).scheduleId();
    given.reportOn(given.aHold(report).by("w").waiting(20, SECONDS).join().get(0)).success("done");
    String living =
        schedules.save(NewSchedule.after(name + "-living", HOUR).creating(task)).scheduleId();
    fire(living);
    addTwelveThousandThatWaitAs(living);
    standStill(id);

    audit.runOnce();
    audit.runOnce();

    assertThat(schedules.get(id).nextFireTime()).isNotNull();
  }

  @Test
  void aLockedScheduleStopsNoRepairOfAnother() throws SQLException {
    NewTask task = NewTask.of(report.name(), "build", "ops", "{}");
    String locked =
        schedules.save(NewSchedule.every(name + "-l", HOUR).creating(task)).scheduleId();
    String id = schedules.save(NewSchedule.every(name, HOUR).creating(task)).scheduleId();
    jdbc.sql(
            """
            UPDATE t_schedule s
            JOIN t_schedule_slice c ON c.slice = s.slice
            SET s.slice_epoch = c.epoch + 1000,
                s.next_fire_time = s.next_fire_time - 3600000,
                s.wake_time = 1
            WHERE s.id = ?
            """)
        .param(id)
        .update();

    try (Connection other = database.getConnection()) {
      other.setAutoCommit(false);
      other
          .createStatement()
          .execute("SELECT id FROM t_schedule WHERE id = %s FOR UPDATE".formatted(locked));
      assertThat(audit.runOnce().raisedSlices()).isEqualTo(1);
      other.rollback();
    }
    assertThat(fire(id).outcome()).isEqualTo(FireOutcome.CREATED);
  }

  private void addTwelveThousandThatWaitAs(String id) {
    jdbc.sql(
            """
            INSERT INTO t_schedule (id, name, slice, state, version, body_hash, after_ms, overlap,
              catch_up, catch_up_ms, catch_up_limit, jitter_ms, pause_after, weight, load_, target,
              target_type, target_is_job, last_fire_time, last_run, create_time, modify_time)
            SELECT (a.slice * 64 + b.slice) * 3 + c.slice + 1,
              CONCAT('standing-', a.slice, '-', b.slice, '-', c.slice), a.slice, 1, 1, s.body_hash,
              s.after_ms, s.overlap, s.catch_up, s.catch_up_ms, s.catch_up_limit, s.jitter_ms,
              s.pause_after, s.weight, s.load_, s.target, s.target_type, s.target_is_job,
              s.last_fire_time, s.last_run, s.create_time, s.modify_time
            FROM t_schedule s
            JOIN t_schedule_slice a
            JOIN t_schedule_slice b
            JOIN t_schedule_slice c
            WHERE s.id = ?
              AND c.slice < 3
            """)
        .param(id)
        .update();
  }
}
