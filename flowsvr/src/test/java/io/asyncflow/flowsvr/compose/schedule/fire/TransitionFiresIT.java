package io.asyncflow.flowsvr.compose.schedule.fire;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.FirePreviewRequest;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.api.schedule.ScheduleFire;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.compose.schedule.core.FireLead;
import io.asyncflow.flowsvr.compose.schedule.core.TravellingScheduleStore;
import io.asyncflow.flowsvr.compose.schedule.slice.AllSlices;
import io.asyncflow.rules.TaskType;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

/**
 * Changes of the clocks, lived through by a server: its database's clock goes from before a change
 * to after it, and the fires of a schedule are those that a preview names.
 */
@RunningServer
@TestPropertySource(
    properties = {
      "flow.schedule.enabled=false",
      "flow.governance.cleaning-interval=1h" // the history of these days would be dropped
    })
@Tag("contract")
class TransitionFiresIT {

  private static final Duration STEP = Duration.ofMinutes(20);
  private static final int MANY = 100;

  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired DataSource database;
  @Autowired LastRuns lastRuns;
  @Autowired FireMaker maker;
  @Autowired ScheduleChanges changes;
  @Autowired Node node;
  @LocalServerPort int port;

  /**
   * The times are UTC. A clock that is put forward moves a fixed time to the first moment after the
   * gap; one that is put back lets it happen once. What happens each hour or half hour goes on so.
   */
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Europe/Berlin       | 0 30 2 * * *    | 2027-03-27T00:00 | 2027-03-30T00:00 | 27T01:30 28T01:00 29T00:30
          Europe/Berlin       | 0 30 2 * * *    | 2027-10-30T00:00 | 2027-11-02T00:00 | 30T00:30 31T00:30 01T01:30
          Europe/Berlin       | 0 15 * * * *    | 2027-10-30T23:00 | 2027-10-31T03:00 | 30T23:15 31T00:15 31T01:15 31T02:15
          Africa/Cairo        | 0 15 0 * * *    | 2010-04-28T12:00 | 2010-05-01T12:00 | 28T22:15 29T22:00 30T21:15
          Australia/Lord_Howe | 0 15 2 * * *    | 2019-10-04T12:00 | 2019-10-07T12:00 | 04T15:45 05T15:30 06T15:15
          Australia/Lord_Howe | 0 45 1 * * *    | 2019-04-05T12:00 | 2019-04-08T12:00 | 05T14:45 06T14:45 07T15:15
          Australia/Lord_Howe | 0 */30 * * * *  | 2019-04-06T14:15 | 2019-04-06T16:15 | 06T14:30 06T15:00 06T15:30 06T16:00
          Pacific/Apia        | 0 0 12 * * *    | 2011-12-29T00:00 | 2011-12-31T23:00 | 29T22:00 30T10:00 30T22:00 31T22:00
          """)
  void fireTimesAreThoseOfThePreview(
      String zone, String cron, String from, String until, String expected) throws SQLException {
    Instant begin = Instant.parse(from + ":00Z");
    Instant end = Instant.parse(until + ":00Z");
    ScheduleClient client =
        new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null).schedules();
    List<Long> previewed =
        client
            .preview(FirePreviewRequest.ofCron(cron, ZoneId.of(zone)).from(begin).count(MANY))
            .times()
            .stream()
            .filter(time -> time < end.toEpochMilli())
            .toList();
    assertThat(text(previewed.stream())).as("preview").isEqualTo(expected);

    String id = saveAsOf(client, previewed.get(0), zone, cron);
    try (TravellingScheduleStore schedules = TravellingScheduleStore.on(database)) {
      FireLoop loop =
          new FireLoop(
              schedules,
              new AllSlices(),
              () -> true,
              lastRuns,
              maker,
              changes,
              node,
              new FireLead(Duration.ofSeconds(30)));
      for (Instant now = begin; !now.isAfter(end); now = now.plus(STEP)) {
        schedules.travelTo(now);
        loop.runOnce();
      }
    }

    assertThat(text(fires(client, id))).as("fires").isEqualTo(expected);
    client.delete(id);
  }

  /** A schedule that waits for this fire time. */
  private String saveAsOf(ScheduleClient client, long first, String zone, String cron) {
    TaskType type = given.aType().create();
    String id =
        client
            .save(
                NewSchedule.cron("clocks", cron, ZoneId.of(zone))
                    .catchUp(CatchUp.ALL)
                    .creating(NewTask.of(type.name(), "s", "u", "")))
            .scheduleId();
    jdbc.sql("UPDATE t_schedule SET next_fire_time = :first, wake_time = :first WHERE id = :id")
        .param("first", first)
        .param("id", id)
        .update();
    return id;
  }

  private static Stream<Long> fires(ScheduleClient client, String id) {
    return client.fires(id, MANY, null).fireList().stream().map(ScheduleFire::fireTime).sorted();
  }

  private static String text(Stream<Long> times) {
    return times
        .map(time -> Instant.ofEpochMilli(time).toString().substring(8, 16))
        .collect(joining(" "));
  }
}
