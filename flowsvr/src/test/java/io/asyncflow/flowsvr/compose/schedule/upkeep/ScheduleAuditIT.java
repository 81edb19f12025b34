package io.asyncflow.flowsvr.compose.schedule.upkeep;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.api.schedule.ScheduleFire;
import io.asyncflow.api.schedule.ScheduleListRequest;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.rules.TaskType;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
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

/** What a partial restore leaves of schedules, and the rounds that repair it. */
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
  private TaskType report;
  private final String name = "s-" + UUID.randomUUID();

  @BeforeEach
  void aType() {
    schedules = new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null).schedules();
    report = given.aType().create();
  }

  @AfterEach
  void leaveNoSchedule() {
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
}
