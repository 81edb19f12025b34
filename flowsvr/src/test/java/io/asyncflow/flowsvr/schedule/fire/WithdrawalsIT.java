package io.asyncflow.flowsvr.schedule.fire;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.SavedSchedule;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.schedule.fire.FatalStatements.Fault;
import io.asyncflow.rules.TaskType;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
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
          + "io.asyncflow.flowsvr.schedule.fire.FatalStatements"
    })
@Tag("contract")
class WithdrawalsIT {

  @Autowired Given given;
  @Autowired ScheduleStore store;
  @Autowired Withdrawals withdrawals;
  @LocalServerPort int port;

  /** Or those that fire in between would undo each attempt to change many at once. */
  @Test
  void aChangeLocksManySchedulesAtOnce() {
    ScheduleClient client =
        new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null).schedules();
    TaskType type = given.aType().create();
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
    List<ScheduleRow> rows = store.find(ids);

    Fault counted = Fault.none();
    counted.in(
        () ->
            withdrawals.change(
                rows,
                changed -> assertThat(changed).extracting(one -> one.row().id()).isEqualTo(ids)));

    assertThat(counted.statements()).as("statements for 100 schedules").isLessThan(15);
    ids.forEach(id -> client.delete(Long.toString(id)));
  }
}
