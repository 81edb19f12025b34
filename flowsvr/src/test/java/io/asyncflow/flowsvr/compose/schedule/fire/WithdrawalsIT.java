package io.asyncflow.flowsvr.compose.schedule.fire;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.SavedSchedule;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.compose.schedule.core.FireRow;
import io.asyncflow.flowsvr.compose.schedule.core.FireStore;
import io.asyncflow.flowsvr.compose.schedule.core.Run;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.compose.schedule.fire.FatalStatements.Fault;
import io.asyncflow.flowsvr.compose.schedule.fire.ScheduleChanges.Withdrawn;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.TaskType;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;

/** What a change of schedules costs; its server is that of {@link KilledFiresIT}. */
@RunningServer
@TestPropertySource(
    properties = {
      "flow.schedule.enabled=false",
      "flow.governance.cleaning-interval=1h", // the audit of schedules wakes some
      "spring.datasource.hikari.data-source-properties.queryInterceptors="
          + "io.asyncflow.flowsvr.compose.schedule.fire.FatalStatements"
    })
@Tag("contract")
class WithdrawalsIT {

  @Autowired Given given;
  @Autowired ScheduleStore store;
  @Autowired TaskStore tasks;
  @Autowired FireStore fires;
  @Autowired ScheduleChanges withdrawals;
  @LocalServerPort int port;
  private ScheduleClient client;
  private TaskType type;

  @BeforeEach
  void aType() {
    client = new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null).schedules();
    type = given.aType().create();
  }

  /** Or those that fire in between would undo each attempt to change many at once. */
  @Test
  void aChangeLocksManySchedulesAtOnce() {
    NewTask task = NewTask.of(type.name(), "build", "ops", "{}");
    String name = "s-" + UUID.randomUUID();
    List<Long> ids =
        client
            .saveAll(
                IntStream.range(0, 100)
                    .mapToObj(i -> NewSchedule.every(name + i, Duration.ofDays(300)).creating(task))
                    .toList())
            .stream()
            .map(SavedSchedule::scheduleId)
            .map(Long::valueOf)
            .toList();

    Fault counted = Fault.none();
    counted.in(
        () ->
            withdrawals.change(
                ids,
                changed -> assertThat(changed).extracting(one -> one.row().id()).isEqualTo(ids)));

    assertThat(counted.statements()).as("statements for 100 schedules").isLessThan(15);
    ids.forEach(id -> client.delete(Long.toString(id)));
  }

  /** A schedule that fires each second has thirty of them, and one call may change a thousand. */
  @Test
  void aChangeWithdrawsManyFiresAtOnce() {
    NewSchedule definition =
        NewSchedule.every("s-" + UUID.randomUUID(), Duration.ofDays(300))
            .pauseAfterFailures(3)
            .creating(NewTask.of(type.name(), "build", "ops", "{}"));
    String id = client.save(definition).scheduleId();
    ScheduleRow row = store.find(List.of(Long.valueOf(id))).get(0);
    List<FireRow> made =
        LongStream.rangeClosed(1, 100)
            .map(second -> row.now() + 60_000 + second * 1_000)
            .mapToObj(time -> made(row, time))
            .toList();
    fires.ensure(made.stream().map(fire -> FireStore.dayOf(fire.fireTime())).collect(toSet()));
    fires.insert(made);

    Fault counted = Fault.none();
    counted.in(
        () ->
            withdrawals.change(
                List.of(row.id()),
                changed ->
                    assertThat(changed)
                        .extracting(Withdrawn::firstWithdrawn)
                        .containsExactly(made.get(0).fireTime())));

    assertThat(counted.statements()).as("statements for 100 fires").isLessThan(40);
    assertThat(fires.between(row.id(), row.now(), row.now() + 161_000, fires.existing()))
        .hasSize(100)
        .allSatisfy(
            fire -> {
              assertThat(fire.outcome()).isEqualTo(FireOutcome.WITHDRAWN);
              assertThat(fire.endStatus()).isEqualTo(TaskStatus.CANCELLED.code());
              assertThat(fire.endTime()).isNotNull();
              assertThat(tasks.find(fire.run().task()).orElseThrow().status())
                  .isEqualTo(TaskStatus.CANCELLED);
            });
    client.delete(id);
  }

  private FireRow made(ScheduleRow row, long time) {
    Run run = runOf(row, time);
    return new FireRow(row.id(), time, FireOutcome.CREATED, false, 0, run, "node", 1, null, null);
  }

  private Run runOf(ScheduleRow row, long time) {
    return Run.of(given.aWaitingTask().ofType(type).firedBy(new FireId(row.id(), time)).create());
  }
}
