package io.asyncflow.flowsvr.compose.schedule.fire;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.compose.job.JobActs;
import io.asyncflow.flowsvr.compose.job.core.JobCreator;
import io.asyncflow.flowsvr.compose.schedule.core.FireLead;
import io.asyncflow.flowsvr.compose.schedule.core.FireRow;
import io.asyncflow.flowsvr.compose.schedule.core.FireStore;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.compose.schedule.fire.FatalStatements.Fault;
import io.asyncflow.flowsvr.compose.schedule.fire.FatalStatements.Kind;
import io.asyncflow.flowsvr.compose.schedule.slice.AllSlices;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.row.TransitionStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.type.SealedTexts;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.schedule.FirePosition;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

/**
 * A server dies, or loses its connection, at each statement of the looks that make the fires of
 * every kind of schedule. Whatever the statement was, the next looks of the server that is left
 * come to what they would have come to without the fault, and further looks change nothing.
 */
@RunningServer
@TestPropertySource(
    properties = {
      "flow.schedule.enabled=false",
      "flow.governance.cleaning-interval=1h", // the audit of schedules wakes some
      "spring.datasource.hikari.data-source-properties.queryInterceptors="
          + "io.asyncflow.flowsvr.compose.schedule.fire.FatalStatements"
    })
@Tag("contract")
class KilledFiresIT {

  private static final Duration DAY = Duration.ofDays(1);

  /** The last fire time that has come, relative to now; others are whole days before it. */
  private static final Duration LAST = Duration.ofHours(1);

  /**
   * What becomes of a schedule with two fire times to catch up, those of a day ago and of today.
   * One with a last run has it from three days ago.
   */
  private static final Map<String, String> FATES =
      Map.of(
          "all", "-1 CREATED lives, 0 CREATED lives, next 1",
          "latest", "-1 MERGED, 0 CREATED lives, next 1",
          "limited", "-1 CREATED lives, ended",
          "skip", "-1 CREATED lives, 0 SKIPPED, next 1",
          "skip-living", "-3 CREATED lives, -1 SKIPPED, 0 SKIPPED, next 1",
          "wait", "-1 MERGED, 0 CREATED lives, next 1",
          "wait-living", "-3 CREATED lives, next -1",
          "replace-living", "-3 CREATED cancelled, -1 MERGED, 0 CREATED lives, next 1",
          "after", "0 CREATED lives, waits");

  /** Each job takes a transaction of ten statements, and these would be like the others. */
  private static final Set<String> WITHOUT_JOBS = Set.of("latest", "limited", "skip");

  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired ScheduleStore schedules;
  @Autowired FireStore fires;
  @Autowired TaskCreator creator;
  @Autowired JobCreator jobs;
  @Autowired JobActs jobActs;
  @Autowired SealedTexts sealedTexts;
  @Autowired TaskStore tasks;
  @Autowired TransitionStore transitions;
  @Autowired TaskFamilies families;
  @Autowired RetryingTransactions transactions;
  @Autowired FireMeters meters;
  @Autowired LastRuns lastRuns;
  @Autowired ScheduleChanges changes;
  @LocalServerPort int port;
  private ScheduleClient client;
  private TaskType type;
  private long last;

  @BeforeEach
  void aType() {
    client = new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null).schedules();
    type = given.aType().create();
    given.aWaitingTask().ofType(type).create(); // makes its table
    last = schedules.now() - LAST.toMillis();
  }

  /** A server as far as its fires are concerned. */
  private final class Server extends Node {

    private final String name;
    private final FireLoop loop;

    Server(String name, long epoch) {
      this.name = name;
      FireMaker maker =
          new FireMaker(
              creator,
              new FireTransaction(
                  schedules,
                  fires,
                  creator,
                  jobs,
                  jobActs,
                  sealedTexts,
                  tasks,
                  transitions,
                  families,
                  transactions,
                  this),
              meters);
      this.loop =
          new FireLoop(
              schedules,
              new AllSlices(epoch),
              () -> true,
              lastRuns,
              maker,
              changes,
              this,
              new FireLead(Duration.ofSeconds(30)));
    }

    @Override
    public String id() {
      return name;
    }

    /** Looks until there is no more to make, and goes on with nothing it knew before. */
    void look() {
      fires.forget();
      while (loop.runOnce().isZero()) {
        // there is more to make
      }
    }
  }

  /** One statement after the other, until a look has no more of them. */
  @ParameterizedTest
  @EnumSource
  void whateverStatementIsTheLastOneEachFireHappensOnce(Kind kind) {
    int statement = 1;
    while (strikes(kind, statement)) {
      statement++;
    }
    assertThat(statement).as("statements of a look").isGreaterThan(3 * expected().size());
  }

  /**
   * @return whether a look has as many statements
   */
  private boolean strikes(Kind kind, int statement) {
    schedulesWithFiresToMake();
    Fault fault = Fault.at(kind, statement);
    Server victim = new Server("victim", 1);
    fault.in(victim::look);
    if (fault.session() == null) {
      assertThat(fates()).isEqualTo(expected());
      return false;
    }
    awaitEndOf(fault.session());

    Server next = fault.isKill() ? new Server("survivor", 2) : victim;
    next.look();
    assertThat(fates()).as("after %s %s", kind, statement).isEqualTo(expected());
    next.look();
    assertThat(fates()).as("two looks after %s %s", kind, statement).isEqualTo(expected());
    return true;
  }

  /** Until then the database keeps the locks of a transaction whose client is gone. */
  private void awaitEndOf(long session) {
    await()
        .pollInterval(Duration.ofMillis(2))
        .until(
            () ->
                jdbc.sql("SELECT COUNT(*) FROM information_schema.processlist WHERE id = ?")
                        .param(session)
                        .query(Integer.class)
                        .single()
                    == 0);
  }

  private static Map<String, String> expected() {
    Map<String, String> expected = new TreeMap<>();
    FATES.forEach(
        (name, fates) -> {
          expected.put("task-" + name, fates);
          if (!WITHOUT_JOBS.contains(name)) {
            expected.put("job-" + name, fates);
          }
        });
    return expected;
  }

  private NewSchedule schedule(String name) {
    NewSchedule schedule =
        name.endsWith("-after")
            ? NewSchedule.after(name, DAY)
            : NewSchedule.every(name, DAY).anchor(Instant.ofEpochMilli(last));
    NewSchedule made =
        name.startsWith("job-")
            ? schedule.creating(NewJob.of(type.name(), "u", "text"))
            : schedule.creating(NewTask.of(type.name(), "s", "u", ""));
    String policy = name.split("-")[1];
    return switch (policy) {
      case "all" -> made.catchUp(CatchUp.ALL);
      case "limited" -> made.catchUp(CatchUp.ALL).maxFires(1);
      case "skip", "wait", "replace" ->
          made.catchUp(CatchUp.ALL).overlap(Overlap.valueOf(policy.toUpperCase(Locale.ROOT)));
      default -> made;
    };
  }

  /** The schedules of {@link #FATES}, and nothing of any earlier ones. */
  private void schedulesWithFiresToMake() {
    jdbc.sql("DELETE FROM t_schedule").update();
    jdbc.sql("DELETE FROM t_schedule_gap").update();
    jdbc.sql("DELETE FROM " + table()).update();
    client.saveAll(expected().keySet().stream().map(this::schedule).toList());

    jdbc.sql("UPDATE t_schedule SET wake_time = NULL").update();
    jdbc.sql(
            """
            UPDATE t_schedule
            SET next_fire_time = :first,
                end_time = :first + 1,
                wake_time = 0
            WHERE name LIKE '%-living'
            """)
        .param("first", last - 3 * DAY.toMillis())
        .update();
    new Server("earlier", 0).look();
    jdbc.sql(
            """
            UPDATE t_schedule
            SET next_fire_time = :last - IF(after_ms IS NULL, :day, 0),
                end_time = NULL,
                wake_time = 0,
                state = 1,
                version = version + 1
            """)
        .param("last", last)
        .param("day", DAY.toMillis())
        .update();
  }

  private String table() {
    return "t_" + type.name() + "_task_1";
  }

  /**
   * A task or a job.
   *
   * @param isWhole a job has its split
   */
  private record Made(FireId fire, String id, boolean isCancelled, boolean isWhole) {

    String described(FireRow fire) {
      if (!isWhole || fire == null || fire.run() == null || !id.equals(fire.run().toString())) {
        return "stray " + id;
      }
      boolean isEndMissing = isCancelled && fire.run().task() != null && fire.endStatus() == null;
      return isEndMissing ? "end missing" : isCancelled ? "cancelled" : "lives";
    }
  }

  private List<Made> made() {
    return jdbc.sql(
            """
            SELECT schedule_id, fire_time, CONCAT(id, :suffix), status = 16, 1
            FROM %1$s
            WHERE schedule_id IS NOT NULL
            UNION ALL
            SELECT schedule_id, fire_time, CONCAT(id, ''), state IN ('STOPPING', 'CANCELLED'),
              (SELECT COUNT(*) FROM %1$s t WHERE t.job_id = j.id) = 1
            FROM t_job j
            WHERE schedule_id IS NOT NULL
            """
                .formatted(table()))
        .param("suffix", table().substring(1))
        .query(
            (rs, row) ->
                new Made(
                    new FireId(rs.getLong(1), rs.getLong(2)),
                    rs.getString(3),
                    rs.getBoolean(4),
                    rs.getBoolean(5)))
        .list();
  }

  /** What the rows say of each schedule, in days relative to the last fire time that has come. */
  private Map<String, String> fates() {
    Map<FireId, List<Made>> made = made().stream().collect(groupingBy(Made::fire));
    Map<String, String> fates = new TreeMap<>();
    for (ScheduleRow row : schedules.findByNames(expected().keySet())) {
      fates.put(row.name(), fatesOf(row, made));
    }
    return fates;
  }

  private String fatesOf(ScheduleRow row, Map<FireId, List<Made>> made) {
    List<FireRow> fired = fires.between(row.id(), 0, Long.MAX_VALUE, fires.existing());
    SortedMap<Long, String> fates = new TreeMap<>();
    for (FireRow fire : fired) {
      String runs =
          made.getOrDefault(new FireId(row.id(), fire.fireTime()), List.of()).stream()
              .map(run -> " " + run.described(fire))
              .collect(joining());
      add(fates, fire.fireTime(), fire.outcome() + runs);
    }
    made.forEach(
        (fire, runs) -> {
          if (fire.scheduleId() == row.id() && !fates.containsKey(fire.fireTime())) {
            runs.forEach(run -> add(fates, fire.fireTime(), run.described(null)));
          }
        });
    fires
        .gaps(row.id(), 0, Long.MAX_VALUE, 100)
        .forEach(gap -> add(fates, gap.fromTime(), gap.reason() + (gap.fires() == 1 ? "" : "s")));
    return String.join(", ", fates.values()) + ", " + position(row, fired);
  }

  private void add(SortedMap<Long, String> fates, long time, String fate) {
    fates.merge(time, inDays(time) + " " + fate, (one, other) -> one + " and " + other);
  }

  private long inDays(long time) {
    return Math.floorDiv(time - last, DAY.toMillis());
  }

  private String position(ScheduleRow row, List<FireRow> fired) {
    List<FireRow> created =
        fired.stream().filter(fire -> fire.outcome() == FireOutcome.CREATED).toList();
    FirePosition at = row.position();
    if (at.fireCount() != created.size()
        || !created.get(created.size() - 1).run().toString().equals(at.lastRun())) {
      return "not moved on: " + at;
    }
    if (at.nextFireTime() != null) {
      return "next " + inDays(at.nextFireTime());
    }
    return row.state() == ScheduleState.ENDED ? "ended" : "waits";
  }
}
