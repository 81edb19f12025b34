package io.asyncflow.flowsvr.compose.schedule.fire;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.compose.schedule.core.FireLead;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.compose.schedule.slice.AllSlices;
import io.asyncflow.rules.TaskType;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

/**
 * Slices save work; a fire happens once without them. Here five loops believe that they own all of
 * them, and race for the same schedules. {@code -Dasyncflow.test.fires=1000000} makes so many
 * fires.
 */
@RunningServer
@TestPropertySource(properties = "flow.schedule.enabled=false")
@Tag("contract")
class LyingSlicesIT {

  private static final int FIRES = Integer.getInteger("asyncflow.test.fires", 4_000);
  private static final int SERVERS = 5;

  /** Of a count that would take longer than a statement may. */
  private static final int PARTS = 1 + FIRES / 20_000;

  private static final int PER_SCHEDULE = 100;
  private static final int SCHEDULES = Math.max(1, FIRES / PER_SCHEDULE);

  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired ScheduleStore schedules;
  @Autowired LastRuns lastRuns;
  @Autowired FireMaker maker;
  @Autowired ScheduleChanges changes;
  @Autowired Node node;
  @LocalServerPort int port;
  private TaskType type;

  @BeforeEach
  void schedulesThatMissedManyFires() {
    type = given.aType().create();
    ScheduleClient client =
        new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null).schedules();
    List<NewSchedule> definitions =
        IntStream.range(0, SCHEDULES)
            .mapToObj(
                i ->
                    NewSchedule.every("lying-" + i, Duration.ofSeconds(1))
                        .catchUp(CatchUp.ALL)
                        .catchUpLimit(1_000)
                        .creating(NewTask.of(type.name(), "s", "u", "")))
            .toList();
    for (int from = 0; from < SCHEDULES; from += 1_000) {
      client.saveAll(definitions.subList(from, Math.min(from + 1_000, SCHEDULES)));
    }
    jdbc.sql(
            """
            UPDATE t_schedule
            SET next_fire_time = next_fire_time - 1000 * (:fires - 10),
                end_time = next_fire_time + 1000 * :fires,
                wake_time = 0
            """)
        .param("fires", PER_SCHEDULE)
        .update();
  }

  @Test
  void eachFireHappensOnceIfEveryServerBelievesToOwnAllSchedules() {
    List<Integer> rounds =
        AtOnce.from(
            SERVERS,
            Duration.ofMinutes(2).plusMillis(2L * FIRES),
            server -> {
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
              int count = 0;
              while (unfinished() > 0) {
                loop.runOnce();
                count++;
              }
              return count;
            });

    long expected = (long) SCHEDULES * PER_SCHEDULE;
    assertThat(count("SELECT COUNT(*) FROM " + tasks())).isEqualTo(expected);
    assertThat(count("SELECT COUNT(DISTINCT schedule_id, fire_time) FROM " + tasks()))
        .isEqualTo(expected);
    assertThat(firesWithTheirTask()).isEqualTo(expected);
    assertThat(count("SELECT SUM(fire_count) FROM t_schedule")).isEqualTo(expected);
    assertThat(count("SELECT COUNT(*) FROM t_schedule_gap")).isZero();
    System.out.printf(
        Locale.ROOT, "%d fires by %d servers in %s looks%n", expected, SERVERS, rounds);
  }

  private long unfinished() {
    return count("SELECT COUNT(*) FROM t_schedule WHERE state = 1");
  }

  /** The tasks of all tables of the type: a million roll it. */
  private String tasks() {
    return tables("t_" + type.name() + "_task_%").stream()
        .map(table -> "SELECT id, schedule_id, fire_time FROM " + table)
        .collect(joining(" UNION ALL ", "(", ") tasks"));
  }

  private long firesWithTheirTask() {
    long count = 0;
    for (String day : tables("t_schedule_fire_2%")) {
      for (String table : tables("t_" + type.name() + "_task_%")) {
        for (int part = 0; part < PARTS; part++) {
          count +=
              count(
                  "SELECT COUNT(*) FROM "
                      + day
                      + " f JOIN "
                      + table
                      + " t ON t.id = f.task_number AND t.schedule_id = f.schedule_id"
                      + " AND t.fire_time = f.fire_time AND f.outcome = 1"
                      + " WHERE MOD(f.schedule_id, "
                      + PARTS
                      + ") = "
                      + part);
        }
      }
    }
    return count;
  }

  private List<String> tables(String pattern) {
    return jdbc.sql(
            """
            SELECT table_name
            FROM information_schema.tables
            WHERE table_schema = DATABASE()
              AND table_name LIKE :pattern
            """)
        .param("pattern", pattern.replace("_", "\\_"))
        .query(String.class)
        .list();
  }

  private long count(String sql) {
    return jdbc.sql(sql).query(Long.class).single();
  }
}
