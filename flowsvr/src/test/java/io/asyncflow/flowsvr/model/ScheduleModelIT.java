package io.asyncflow.flowsvr.model;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Task;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.FirePage;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.api.schedule.ScheduleFire;
import io.asyncflow.api.schedule.ScheduleGap;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.compose.schedule.core.SchedulesChanged;
import io.asyncflow.flowsvr.model.ModelSchedule.Fate;
import io.asyncflow.flowsvr.task.row.TasksWaiting;
import io.asyncflow.rules.TaskType;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

/**
 * Random acts on schedules against {@link ModelSchedule} and against a real server. Time passes
 * only as an act; after each act the loop of the server makes what has come.
 *
 * <p>{@code -Dasyncflow.model.schedule-seeds=17} runs another seed, {@code 1-500} many.
 */
@RunningServer
@TestPropertySource(
    properties = {
      "spring.datasource.driver-class-name=io.asyncflow.flowsvr.model.StoppedClock",
      "flow.schedule.enabled=false",
      "flow.schedule.all-slices=true",
      "flow.governance.sweep-interval=1h",
      "logging.level.io.asyncflow.flowsvr=warn",
      "logging.level.io.asyncflow.flowsvr.base.leader=error" // a term is over whenever time passes
    })
class ScheduleModelIT {

  private static final String SEEDS = System.getProperty("asyncflow.model.schedule-seeds", "1-3");
  private static final int ACTS = Integer.getInteger("asyncflow.model.acts", 100);

  /** Fire times are full seconds, as the times of all acts, so they meet often. */
  private static final Instant ANCHOR = Instant.EPOCH;

  private static final List<Integer> PAUSES_S = List.of(1, 5, 10, 17, 30, 61, 90, 300, 1_800);

  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired ApplicationContext server;
  @LocalServerPort int port;
  private ScheduleClient client;
  private TaskType type;
  private final List<ModelSchedule> model = new ArrayList<>();
  private final List<Task> held = new ArrayList<>();
  private final List<String> acts = new ArrayList<>();
  private Random random;

  static LongStream seeds() {
    String[] range = SEEDS.split("-");
    return LongStream.rangeClosed(
        Long.parseLong(range[0]), Long.parseLong(range[range.length - 1]));
  }

  @BeforeEach
  void connect() {
    client =
        new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null, Duration.ofMinutes(1))
            .schedules();
    type = given.aType().create();
  }

  @AfterEach
  void leaveNoSchedule() {
    living().forEach(one -> client.delete(id(one)));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void serverDoesWhatTheModelDoes(long seed) {
    random = new Random(seed);
    for (int i = 0; i < ACTS; i++) {
      act();
      settle();
      for (ModelSchedule one : living()) {
        compare(one, "seed " + seed);
      }
    }
  }

  private List<ModelSchedule> living() {
    return model.stream().filter(one -> !one.isDeleted()).toList();
  }

  private static String id(ModelSchedule schedule) {
    return Long.toString(schedule.id());
  }

  private static long now() {
    return StoppedClock.nowMs();
  }

  private void act() {
    List<ModelSchedule> living = living();
    if (living.size() < 3) {
      create();
      return;
    }
    ModelSchedule one = living.get(random.nextInt(living.size()));
    int act = random.nextInt(100);
    if (act < 35) {
      passTime(PAUSES_S.get(random.nextInt(PAUSES_S.size())));
    } else if (act < 60) {
      hold();
    } else if (act < 75) {
      report(random.nextInt(3) > 0);
    } else if (act < 82) {
      said("pause", one);
      client.pause(id(one));
      one.pause(now());
    } else if (act < 90) {
      boolean catchUp = random.nextBoolean();
      said("resume, catch up " + catchUp, one);
      client.resume(id(one), catchUp, "", "");
      one.resume(catchUp, now());
    } else if (act < 94) {
      change(one);
    } else if (act < 98 && one.definition().everyMs() != null) {
      said("trigger", one);
      client.trigger(id(one), null);
      one.trigger(now());
    } else if (act >= 98) {
      said("delete", one);
      client.delete(id(one));
      one.delete(now());
    }
  }

  private void said(String act, ModelSchedule on) {
    acts.add(now() % 86_400_000 + ": " + act + " " + on.id());
  }

  private void create() {
    String name = type.name() + "-" + model.size();
    NewSchedule paced =
        NewSchedule.after(name, ofSeconds(List.of(1, 7, 60).get(random.nextInt(3))));
    NewSchedule timed = NewSchedule.every(name, interval()).anchor(ANCHOR).overlap(overlap());
    NewSchedule schedule = random.nextInt(4) == 0 ? paced : timed;
    schedule =
        schedule
            .creating(NewTask.of(type.name(), "s", "u", "").withMaxRetryNum(0))
            .catchUp(CatchUp.values()[random.nextInt(3)])
            .catchUpLimit(1 + random.nextInt(20))
            .catchUpWithin(List.of(ofSeconds(200), Duration.ofDays(1)).get(random.nextInt(2)));
    if (random.nextInt(3) == 0) {
      schedule = schedule.pauseAfterFailures(1 + random.nextInt(2));
    }
    if (random.nextInt(4) == 0 && schedule.overlap() == Overlap.ALLOW) {
      schedule = schedule.maxFires(1 + random.nextInt(8));
    }
    long id = Long.parseLong(client.save(schedule).scheduleId());
    // What the save left out is filled in by the server.
    ModelSchedule created =
        new ModelSchedule(id, client.get(Long.toString(id)).definition(), now());
    said("create " + created.definition(), created);
    model.add(created);
  }

  private Duration interval() {
    return ofSeconds(List.of(5, 10, 30, 60, 300).get(random.nextInt(5)));
  }

  private Overlap overlap() {
    return Overlap.values()[random.nextInt(4)];
  }

  private void change(ModelSchedule one) {
    NewSchedule before = one.definition();
    NewSchedule after =
        before.everyMs() == null || random.nextBoolean()
            ? before.jitter(Duration.ZERO).weight(1 + random.nextInt(5))
            : NewSchedule.every(before.name(), interval())
                .anchor(ANCHOR)
                .creating(before.taskData())
                .overlap(overlap())
                .catchUp(before.catchUp());
    client.save(after);
    NewSchedule complete = client.get(id(one)).definition();
    said("change to " + complete, one);
    one.save(complete, now());
  }

  private void passTime(int seconds) {
    acts.add("pass " + seconds + " s");
    StoppedClock.advance(seconds * 1_000L);
    server.publishEvent(new SchedulesChanged());
  }

  private void hold() {
    // The server counts on its own clock for how long nothing is due, and that one goes on.
    server.publishEvent(new TasksWaiting(type));
    List<Task> found = given.aHold(type).by("w").limit(1).now();
    if (found.isEmpty()) {
      assertThat(model.stream().filter(one -> one.hasWaiting(now())).map(ModelSchedule::id))
          .as("schedules with a task to hold, after\n%s", String.join("\n", acts))
          .isEmpty();
      return;
    }
    Task task = found.get(0);
    ModelSchedule by = by(task);
    said("hold " + task.fireTime() % 86_400_000, by);
    assertThat(by.hold(task.fireTime(), now()))
        .as("fire %d of %d, after\n%s", task.fireTime(), by.id(), String.join("\n", acts))
        .isNull();
    held.add(task);
  }

  private ModelSchedule by(Task task) {
    long id = Long.parseLong(task.scheduleId());
    return model.stream().filter(one -> one.id() == id).findFirst().orElseThrow();
  }

  private void report(boolean isSuccess) {
    held.removeIf(task -> !by(task).isHeld(task.fireTime())); // replaced by a newer run
    if (held.isEmpty()) {
      return;
    }
    Task task = held.remove(random.nextInt(held.size()));
    said((isSuccess ? "success of " : "failure of ") + task.fireTime() % 86_400_000, by(task));
    if (isSuccess) {
      given.reportOn(task).success("");
    } else {
      given.reportOn(task).fail("no");
    }
    by(task).report(task.fireTime(), isSuccess, now());
  }

  /** Waits until the server has made what has come. */
  private void settle() {
    living().forEach(one -> one.tick(now()));
    await()
        .atMost(ofSeconds(20))
        .pollDelay(Duration.ZERO)
        .pollInterval(ofMillis(5))
        .until(
            () ->
                jdbc.sql("SELECT COUNT(*) FROM t_schedule WHERE wake_time <= ?")
                        .param(now())
                        .query(Integer.class)
                        .single()
                    == 0);
  }

  private void compare(ModelSchedule expected, String seed) {
    Schedule found = client.get(id(expected));
    String when = seed + ", schedule " + expected.id() + ", after\n" + String.join("\n", acts);
    assertThat(fates(id(expected))).as(when).isEqualTo(expected.fates());
    assertThat(found.state()).as(when).isEqualTo(expected.state());
    assertThat(found.nextFireTime()).as(when).isEqualTo(expected.next());
    assertThat(found.fireCount()).as(when).isEqualTo(expected.count());
  }

  private NavigableMap<Long, Fate> fates(String id) {
    FirePage page = client.fires(id, 1_000, null);
    NavigableMap<Long, Fate> fates = new TreeMap<>();
    for (ScheduleFire fire : page.fireList()) {
      fates.put(
          fire.fireTime(),
          fire.outcome() == FireOutcome.CREATED ? Fate.RUN : Fate.valueOf(fire.outcome().name()));
    }
    for (ScheduleGap gap : page.gapList()) {
      long step = gap.fires() == 1 ? 1 : (gap.toTime() - gap.fromTime()) / (gap.fires() - 1);
      for (long time = gap.fromTime(); time <= gap.toTime(); time += step) {
        Fate earlier = fates.put(time, Fate.valueOf(gap.reason().name()));
        assertThat(earlier).as("another fate of %d", time).isIn(null, Fate.WITHDRAWN);
      }
    }
    return fates;
  }
}
