package io.asyncflow.flowsvr.compose.schedule.fire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.compose.schedule.core.FireLead;
import io.asyncflow.flowsvr.compose.schedule.core.FireStore;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.compose.schedule.slice.AllSlices;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.schedule.FireRules;
import io.asyncflow.rules.schedule.StuckTimes;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
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
          + "io.asyncflow.flowsvr.compose.schedule.fire.FatalStatements"
    })
@Tag("contract")
class FireMakerIT {

  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired ScheduleStore schedules;
  @Autowired FireStore fires;
  @Autowired FireTransaction transaction;
  @Autowired RetryingTransactions transactions;
  @Autowired FireMeters meters;
  @Autowired Node node;
  @Autowired FireMaker maker;
  @Autowired LastRuns lastRuns;
  @Autowired Events events;
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

    FireMaker crippled = new FireMaker(withoutNumbers(), transaction, meters);
    assertThatThrownBy(() -> crippled.make(List.of(plan))).isInstanceOf(FlowException.class);

    assertThat(schedules.find(id).orElseThrow().fence()).isEqualTo(row.fence());
    client.delete(Long.toString(id));
  }

  /** Neither while plans are made nor while a pause ends. */
  @Test
  void fireTimesThatDoNotAdvanceStopNoOtherSchedule() {
    ScheduleClient client =
        new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null).schedules();
    NewTask task = NewTask.of(given.aType().create().name(), "build", "ops", "{}");
    List<Long> ids =
        Stream.of("stuck", "paused", "whole")
            .map(name -> NewSchedule.every(name + UUID.randomUUID(), Duration.ofHours(1)))
            .map(schedule -> Long.valueOf(client.save(schedule.creating(task)).scheduleId()))
            .toList();
    client.pause(Long.toString(ids.get(1)), Instant.now().plusSeconds(3_600), "ann", "for now");
    jdbc.sql(
            """
            UPDATE t_schedule
            SET next_fire_time = next_fire_time - 3600000,
                wake_time = 0,
                pause_until = IF(state = 2, 1, NULL)
            WHERE id IN (:ids)
            """)
        .param("ids", ids)
        .update();
    ScheduleStore store = spy(schedules);
    doAnswer(
            call ->
                schedules.find(ids).stream()
                    .map(row -> row.id() == ids.get(2) ? row : stuck(row))
                    .toList())
        .when(store)
        .due(any(), anyLong(), anyInt());
    doAnswer(call -> schedules.lockUnlessLocked(call.getArgument(0)).map(FireMakerIT::stuck))
        .when(store)
        .lockUnlessLocked(anyLong());
    FireLead lead = new FireLead(Duration.ZERO);

    new FireLoop(
            store,
            new AllSlices(),
            () -> true,
            lastRuns,
            maker,
            new ScheduleChanges(store, fires, transaction, transactions, events, lead),
            node,
            lead)
        .runOnce();

    assertThat(schedules.find(ids.get(2)).orElseThrow().position().fireCount()).isEqualTo(1);
    for (Long id : ids.subList(0, 2)) {
      ScheduleRow row = schedules.find(id).orElseThrow();
      assertThat(row.position().lastError()).startsWith("a bug: after ");
      assertThat(row.position().wakeTime()).as("is tried again later").isGreaterThan(row.now());
    }
    ids.forEach(id -> client.delete(Long.toString(id)));
  }

  /** The same schedule with fire times from which there is no way on. */
  private static ScheduleRow stuck(ScheduleRow row) {
    FireRules rules = row.rules();
    return new ScheduleRow(
        row.id(),
        row.slice(),
        row.version(),
        row.fence(),
        row.sliceEpoch(),
        row.bodyHash(),
        row.definition(),
        new FireRules(
            rules.id(),
            new StuckTimes(row.position().nextFireTime(), 0),
            null,
            null,
            null,
            rules.overlap(),
            rules.catchUp(),
            rules.catchUpMs(),
            rules.catchUpLimit(),
            rules.jitterMs(),
            rules.pauseAfterFailures(),
            false),
        null,
        row.position(),
        row.createTime(),
        row.modifyTime(),
        row.now());
  }

  private static TaskCreator withoutNumbers() {
    return mock(
        TaskCreator.class,
        call -> {
          throw new FlowException(ErrorCode.UNAVAILABLE, "this server holds no server number");
        });
  }
}
