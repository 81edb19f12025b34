package io.asyncflow.flowsvr.schedule.fire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.create.TaskCreator;
import io.asyncflow.flowsvr.job.JobActs;
import io.asyncflow.flowsvr.job.core.JobCreator;
import io.asyncflow.flowsvr.schedule.core.FireDayStore;
import io.asyncflow.flowsvr.schedule.core.FireStore;
import io.asyncflow.flowsvr.schedule.core.GapStore;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.TaskActStore;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktype.SealedTexts;
import io.asyncflow.rules.TaskType;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

/** A look of a server that can create nothing; its server is that of {@link KilledFiresIT}. */
@RunningServer
@TestPropertySource(
    properties = {
      "flow.schedule.enabled=false",
      "flow.governance.cleaning-interval=1h", // the audit of schedules wakes some
      "spring.datasource.hikari.data-source-properties.queryInterceptors="
          + "io.asyncflow.flowsvr.schedule.fire.FatalStatements"
    })
@Tag("contract")
class FireMakerIT {

  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired ScheduleStore schedules;
  @Autowired FireStore fires;
  @Autowired FireDayStore days;
  @Autowired GapStore gaps;
  @Autowired JobCreator jobs;
  @Autowired JobActs jobActs;
  @Autowired SealedTexts sealedTexts;
  @Autowired TaskStore tasks;
  @Autowired TaskActStore taskActs;
  @Autowired TaskFamilies families;
  @Autowired RetryingTransactions transactions;
  @Autowired FireMeters meters;
  @Autowired Node node;
  @LocalServerPort int port;

  @Test
  void aServerWithoutNumbersForTasksBlamesNoTarget() {
    ScheduleClient client =
        new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null).schedules();
    TaskType type = given.aType().create();
    NewTask task = NewTask.of(type.name(), "build", "ops", "{}");
    NewSchedule hourly =
        NewSchedule.every("s-" + UUID.randomUUID(), Duration.ofHours(1)).creating(task);
    long id = Long.parseLong(client.save(hourly).scheduleId());
    jdbc.sql("UPDATE t_schedule SET next_fire_time = next_fire_time - 3600000 WHERE id = ?")
        .param(id)
        .update();
    ScheduleRow row = schedules.find(id).orElseThrow();
    PlannedSchedule plan = new PlannedSchedule(row, row.plan(false, 0), 1, false);
    assertThat(plan.creations()).hasSize(1);

    FireMaker maker =
        new FireMaker(
            schedules,
            fires,
            days,
            gaps,
            withoutNumbers(),
            jobs,
            jobActs,
            sealedTexts,
            tasks,
            taskActs,
            families,
            transactions,
            meters,
            node);
    assertThatThrownBy(() -> maker.make(List.of(plan))).isInstanceOf(FlowException.class);

    assertThat(schedules.find(id).orElseThrow().fence()).isEqualTo(row.fence());
    client.delete(Long.toString(id));
  }

  private static TaskCreator withoutNumbers() {
    return mock(
        TaskCreator.class,
        call -> {
          throw new FlowException(ErrorCode.UNAVAILABLE, "this server holds no server number");
        });
  }
}
