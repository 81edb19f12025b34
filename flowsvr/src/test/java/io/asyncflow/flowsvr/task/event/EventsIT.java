package io.asyncflow.flowsvr.task.event;

import static io.asyncflow.api.event.EventKind.CANCELLED;
import static io.asyncflow.api.event.EventKind.CREATED;
import static io.asyncflow.api.event.EventKind.FAILED;
import static io.asyncflow.api.event.EventKind.HELD;
import static io.asyncflow.api.event.EventKind.JOB_STATE;
import static io.asyncflow.api.event.EventKind.NEXT_STAGE;
import static io.asyncflow.api.event.EventKind.PAUSED;
import static io.asyncflow.api.event.EventKind.POISON;
import static io.asyncflow.api.event.EventKind.RELEASED;
import static io.asyncflow.api.event.EventKind.REPLACED;
import static io.asyncflow.api.event.EventKind.RESUMED;
import static io.asyncflow.api.event.EventKind.RETRY;
import static io.asyncflow.api.event.EventKind.REVIVED;
import static io.asyncflow.api.event.EventKind.REVOKED;
import static io.asyncflow.api.event.EventKind.SCHEDULE_STATE;
import static io.asyncflow.api.event.EventKind.SNOOZE;
import static io.asyncflow.api.event.EventKind.SUCCESS;
import static io.asyncflow.api.event.EventKind.TIMED_OUT;
import static io.asyncflow.api.event.EventKind.WORKER_LOST;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.EventStream;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventClient;
import io.asyncflow.api.event.EventFilter;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.api.event.EventPage;
import io.asyncflow.api.event.FollowedEvent;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.compose.job.Jobs;
import io.asyncflow.flowsvr.queue.lease.ExpiredLeaseSweep;
import io.asyncflow.flowsvr.task.event.log.EventIds;
import io.asyncflow.flowsvr.task.event.log.EventLog;
import io.asyncflow.flowsvr.task.event.log.EventStore;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What is told of what happens, over HTTP. */
@UnsweptServer
@Tag("contract")
@Timeout(300)
class EventsIT {

  /** Longer than a gap that another test has left stays open. */
  private static final Duration LONG = Duration.ofSeconds(150);

  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired DataSource database;
  @Autowired ExpiredLeaseSweep sweep;
  @Autowired RetryingTransactions transactions;
  @Autowired EventLog log;
  @Autowired EventStore store;
  @LocalServerPort int port;
  private HttpFlowClient client;
  private EventClient events;
  private TaskType lark;
  private String begin;

  @BeforeEach
  void aTypeThatTellsAll() {
    client = new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null);
    events = client.events();
    lark = given.aType().with("events", 2).create();
    begin = Long.toString(EventIds.before(today()));
  }

  private LocalDate today() {
    return EventStore.dayOf(store.now());
  }

  private EventFilter ofLark() {
    return EventFilter.ALL.ofTypes(lark.name());
  }

  /** Waits for so many events of the type, all that there are. */
  private List<Event> told(int count) {
    List<Event> all = new ArrayList<>();
    String[] cursor = {begin};
    await()
        .atMost(LONG)
        .until(
            () -> {
              EventPage page = events.list(ofLark(), cursor[0], 1_000, Duration.ZERO);
              all.addAll(page.eventList());
              cursor[0] = page.cursor();
              return all.size() >= count;
            });
    assertThat(events.list(ofLark(), cursor[0], 1_000, Duration.ZERO).eventList()).isEmpty();
    assertThat(all).hasSize(count);
    return all;
  }

  private void assertTold(EventKind... kinds) {
    assertThat(told(kinds.length)).extracting(Event::kind).containsExactly(kinds);
  }

  private TaskId aTask() {
    return given.aWaitingTask().ofType(lark).create();
  }

  private Task hold() {
    return given.aHold(lark).theTask();
  }

  @Test
  void everyStepOfATaskIsToldInItsOrder() {
    TaskId id = given.aWaitingTask().ofType(lark).ofUser("ann").withRetries(1).create();
    given.reportOn(hold()).nextStage("second", null, null);
    given.reportOn(hold()).snooze(0);
    given.reportOn(hold()).release();
    given.reportOn(hold()).retryAfterMs(0);
    given.reportOn(hold()).success("{}");

    List<Event> told = told(11);

    assertThat(told)
        .extracting(Event::kind)
        .containsExactly(
            CREATED, HELD, NEXT_STAGE, HELD, SNOOZE, HELD, RELEASED, HELD, RETRY, HELD, SUCCESS);
    assertThat(told).allSatisfy(event -> assertThat(event.taskId()).isEqualTo(id.toString()));
    assertThat(told).allSatisfy(event -> assertThat(event.userId()).isEqualTo("ann"));
    assertThat(told).extracting(event -> Long.parseLong(event.id())).isSorted();
    Event created = told.get(0);
    assertThat(created.status()).isEqualTo(TaskStatus.WAITING.code());
    assertThat(created.leaseEpoch()).isZero();
    assertThat(created.workerId()).isNull();
    assertThat(told.get(2).taskStage()).isEqualTo("second");
    Event retry = told.get(8);
    assertThat(retry.crtRetryNum()).isEqualTo(1);
    assertThat(retry.errMsg()).isEqualTo("no");
    Event end = told.get(10);
    assertThat(end.status()).isEqualTo(TaskStatus.SUCCESS.code());
    assertThat(end.leaseEpoch()).isEqualTo(5);
    assertThat(end.workerId()).isEqualTo("worker");
  }

  @Test
  void failuresAreToldAsWhatTheyAre() {
    given.aWaitingTask().ofType(lark).withRetries(0).create();
    given.reportOn(hold()).retry("\u0001".repeat(1_000));
    aTask();
    given.reportOn(hold()).fail("no voice");

    List<Event> told = told(6);

    assertThat(told)
        .extracting(Event::kind)
        .containsExactly(CREATED, HELD, FAILED, CREATED, HELD, FAILED);
    assertThat(told.get(2).errMsg()).as("cut, so that the event has room").startsWith("\u0001");
    assertThat(told.get(5).errMsg()).isEqualTo("no voice");
  }

  @Test
  void endsOfHoldsWithoutAReportAreTold() {
    given.change(lark, "max_delivery", 2);
    TaskId id = given.aWaitingTask().ofType(lark).dueSince(10, SECONDS).create();
    hold();
    given.letPass(31, SECONDS, id);
    sweep.runOnce();
    given.aHold(lark).byAnOldClient().theTask();
    given.letPass(31, SECONDS, id);
    sweep.runOnce();
    given.set(id, "order_time = 0");
    hold();
    given.letPass(31, SECONDS, id);
    sweep.runOnce();

    assertTold(CREATED, HELD, WORKER_LOST, HELD, TIMED_OUT, HELD, POISON);
  }

  @Test
  void actsOfOperatorsAreTold() {
    TaskId id = aTask();
    client.cancelTask(id.toString());
    client.retryTask(id.toString());
    Wire wire = new Wire(port);
    for (int status : List.of(4, 4, 1, 8)) {
      wire.post(
          "/api/task/setStatus",
          "{'taskId':'%s','status':%s,'reason':'a test'}".formatted(id, status));
    }

    assertTold(CREATED, CANCELLED, REVIVED, SUCCESS, REVIVED, FAILED);
  }

  @Test
  void pausesAreTold() {
    TaskId id = aTask();
    client.pauseTask(id.toString(), false, "ops", "too many");
    client.pauseTask(id.toString(), false, "ops", "once more");
    client.resumeTask(id.toString(), "ops", "enough");
    hold();
    client.pauseTask(id.toString(), true, "ops", "it hangs");

    List<Event> told = told(5);

    assertThat(told)
        .extracting(Event::kind)
        .containsExactly(CREATED, PAUSED, RESUMED, HELD, PAUSED);
    assertThat(told)
        .extracting(Event::status)
        .containsExactly(1, TaskStatus.PAUSED.code(), 1, 2, TaskStatus.PAUSED.code());
  }

  @Test
  void holdsThatOperatorsEndAreTold() {
    TaskId id = aTask();
    hold();
    client.restartTask(id.toString(), "ops", "it hangs");
    hold();
    client.setWorkers(id.toString(), List.of("another"), "ops", "it needs another machine");
    client.setWorkers(id.toString(), List.of(), "ops", "any machine will do");

    List<Event> told = told(5);

    assertThat(told).extracting(Event::kind).containsExactly(CREATED, HELD, REVOKED, HELD, REVOKED);
    assertThat(told.get(4).status()).isEqualTo(TaskStatus.WAITING.code());
    assertThat(told.get(4).workerId()).as("the worker that lost the hold").isEqualTo("worker");
    assertThat(told.get(4).leaseEpoch()).isEqualTo(2);
  }

  @Test
  void limitOfUnexpectedFailuresTellsRetriesFromTheEnd() {
    given.change(lark, "max_unexpected_retries", 1);
    TaskId id = given.aWaitingTask().ofType(lark).dueSince(10, SECONDS).withRetries(0).create();
    given.aHold(lark).byAnOldClient().theTask();
    given.letPass(31, SECONDS, id);
    sweep.runOnce();
    given.set(id, "order_time = 0");
    given.aHold(lark).byAnOldClient().theTask();
    given.letPass(31, SECONDS, id);
    sweep.runOnce();

    assertTold(CREATED, HELD, TIMED_OUT, HELD, FAILED);
  }

  @Test
  void createsWithTheKeyOfATaskTellWhatBecomesOfIt() {
    NewTask task = NewTask.of(lark.name(), "first", "ann", "{}").withIdempotencyKey("k");
    client.createTask(task);
    client.createTask(task);
    client.createTask(
        NewTask.of(lark.name(), "second", "bob", "{}")
            .withIdempotencyKey("k")
            .withOnDuplicate(OnDuplicate.REPLACE));
    given.reportOn(hold()).fail("no");
    client.createTask(task.withOnDuplicate(OnDuplicate.RERUN));

    List<Event> told = told(5);

    assertThat(told)
        .extracting(Event::kind)
        .containsExactly(CREATED, REPLACED, HELD, FAILED, REVIVED);
    assertThat(told.get(1).taskStage()).isEqualTo("second");
    assertThat(told.get(1).userId()).isEqualTo("bob");
    assertThat(told.get(4).crtRetryNum()).isZero();
  }

  @Test
  void updatesOfOldClientsAreTold() {
    TaskId id = aTask();
    given.aHold(lark).byAnOldClient().theTask();
    Wire wire = new Wire(port);
    for (String update : List.of("'status':1,'taskStage':'second'", "'priority':1", "'status':4")) {
      wire.post("/api/task/set_task", "{'taskId':'%s',%s}".formatted(id, update));
    }

    assertTold(CREATED, HELD, NEXT_STAGE, SUCCESS);
  }

  @Test
  void failuresThatOldClientsCountAreTold() {
    TaskId id = aTask();
    Wire wire = new Wire(port);
    String log = "{\\'lastData\\':{\\'errMsg\\':\\'no tape\\'}}".replace("\\'", "\\\"");
    for (String update : List.of("'status':1,'crtRetryNum':1", "'status':1", "'status':8")) {
      given.aHold(lark).byAnOldClient().theTask();
      wire.post(
          "/api/task/set_task", "{'taskId':'%s',%s,'scheduleLog':'%s'}".formatted(id, update, log));
    }

    List<Event> told = told(7);
    assertThat(told)
        .extracting(Event::kind)
        .containsExactly(CREATED, HELD, RETRY, HELD, RELEASED, HELD, FAILED);
    assertThat(told.get(2).crtRetryNum()).isEqualTo(1);
    assertThat(told)
        .extracting(Event::errMsg)
        .containsExactly(null, null, "no tape", null, null, null, "no tape");
  }

  @Test
  void aTypeMayTellOfEndsAlone() {
    given.change(lark, "events", 1);
    aTask();
    given.reportOn(hold()).nextStage("second", null, null);
    given.reportOn(hold()).success(null);

    assertTold(SUCCESS);
  }

  @Test
  void aTypeTellsNothingByDefault() {
    TaskType quiet = given.aType().create();
    given.aWaitingTask().ofType(quiet).create();
    given.reportOn(given.aHold(quiet).theTask()).success(null);

    aTask();
    told(1);
    assertThat(
            events
                .list(EventFilter.ALL.ofTypes(quiet.name()), begin, 1_000, Duration.ZERO)
                .eventList())
        .isEmpty();
  }

  @Test
  void aThousandTasksOfACallAreToldOnceEach() {
    List<TaskId> ids = given.aWaitingTask().ofType(lark).create(1_000);

    assertThat(told(1_000))
        .extracting(Event::taskId)
        .containsExactlyInAnyOrderElementsOf(ids.stream().map(TaskId::toString).toList());
  }

  @Test
  void statesOfAJobAreTold() {
    given.change(lark, "events", 1);
    Jobs jobs = new Jobs(port);
    String id = jobs.running(NewJob.of(lark.name(), "ann", "text"), 2);
    jobs.report(jobs.hold(lark.name(), "child", 2), Jobs::done);
    jobs.awaitState(id, JobState.MERGING);
    jobs.success(jobs.hold(lark.name(), "merge"), "done");

    List<Event> states = told(8).stream().filter(event -> event.kind() == JOB_STATE).toList();

    assertThat(states)
        .extracting(Event::state)
        .containsExactly("SPLITTING", "RUNNING", "MERGING", "SUCCESS");
    assertThat(states).allSatisfy(event -> assertThat(event.jobId()).isEqualTo(id));
    assertThat(states).allSatisfy(event -> assertThat(event.userId()).isEqualTo("ann"));
  }

  @Test
  void theEndOfACancelledJobAndItsRetryAreTold() {
    given.change(lark, "events", 1);
    Jobs jobs = new Jobs(port);
    String id = jobs.running(NewJob.of(lark.name(), "ann", "text"), 1);
    jobs.jobs.cancelJob(id);
    jobs.awaitState(id, JobState.CANCELLED);
    jobs.jobs.retryJob(id);
    jobs.awaitState(id, JobState.RUNNING);

    List<String> states = new ArrayList<>();
    await()
        .atMost(LONG)
        .untilAsserted(
            () -> {
              states.clear();
              events
                  .list(ofLark().ofKinds(JOB_STATE), begin, 1_000, Duration.ZERO)
                  .eventList()
                  .forEach(event -> states.add(event.state()));
              assertThat(states)
                  .containsExactly(
                      "SPLITTING", "RUNNING", "STOPPING", "CANCELLED", "RETRYING", "RUNNING");
            });
  }

  /** Whether its split was paused, too, is a matter of the moment. */
  @Test
  void pausesOfAJobAreTold() {
    String id = client.jobs().createJob(NewJob.of(lark.name(), "ann", "text"));
    client.jobs().pauseJob(id, "ops", "too many");
    client.jobs().pauseJob(id, "ops", "once more");
    client.jobs().resumeJob(id, "ops", "enough");

    await().atMost(LONG).until(() -> toldOfJobs().size() >= 3);

    assertThat(toldOfJobs()).extracting(Event::kind).containsExactly(JOB_STATE, PAUSED, RESUMED);
    assertThat(toldOfJobs()).allSatisfy(event -> assertThat(event.jobId()).isEqualTo(id));
    assertThat(toldOfJobs()).extracting(Event::state).containsOnly("SPLITTING");
  }

  private List<Event> toldOfJobs() {
    return events.list(ofLark(), begin, 1_000, Duration.ZERO).eventList().stream()
        .filter(event -> event.taskId() == null)
        .toList();
  }

  @Test
  void statesOfAScheduleAreTold() {
    given.change(lark, "events", 1);
    NewTask task = NewTask.of(lark.name(), "build", "ops", "{}");
    NewSchedule rare =
        NewSchedule.every("events-" + UUID.randomUUID(), Duration.ofDays(365)).creating(task);
    String id = client.schedules().save(rare).scheduleId();
    client.schedules().pause(id);
    client.schedules().resume(id);
    client.schedules().delete(id);

    List<Event> told = told(3);

    assertThat(told).extracting(Event::kind).containsOnly(SCHEDULE_STATE);
    assertThat(told).extracting(Event::state).containsExactly("ACTIVE", "PAUSED", "ACTIVE");
    assertThat(told).allSatisfy(event -> assertThat(event.scheduleId()).isEqualTo(id));
  }

  @Test
  void aScheduleThatHasMadeItsLastFireIsTold() {
    given.change(lark, "events", 1);
    NewTask task = NewTask.of(lark.name(), "build", "ops", "{}");
    NewSchedule once =
        NewSchedule.every("events-" + UUID.randomUUID(), Duration.ofSeconds(1))
            .maxFires(1)
            .creating(task);
    String id = client.schedules().save(once).scheduleId();

    assertThat(told(2)).extracting(Event::state).containsExactly("ACTIVE", "ENDED");
    client.schedules().delete(id);
  }

  @Test
  void whatIsRolledBackIsNotTold() {
    TaskId id = aTask();

    assertThatThrownBy(
            () ->
                transactions.execute(
                    () -> {
                      log.addTask(HELD, given.row(id), null);
                      throw new IllegalStateException("as some day");
                    }))
        .hasMessage("as some day");

    assertTold(CREATED);
  }

  @Test
  void anEventBelongsToATransaction() {
    TaskId id = aTask();

    assertThatThrownBy(() -> log.addTask(HELD, given.row(id), null))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aLateCommitIsStillSeenAndTheCursorWaitsForIt() throws Exception {
    aTask();
    String before = Long.toString(Long.parseLong(told(1).get(0).id()));
    try (Connection slow = database.getConnection();
        EventStream<FollowedEvent> stream = events.open(ofLark(), before)) {
      slow.setAutoCommit(false);
      insertInto(today(), slow, "{\"taskId\":\"late\"}");
      TaskId id = aTask();

      FollowedEvent overtaker = stream.next();
      assertThat(overtaker.event().taskId()).as("at once").isEqualTo(id.toString());
      assertThat(Long.parseLong(overtaker.cursor())).isEqualTo(Long.parseLong(before));
      EventPage page = events.list(ofLark(), before, 10, Duration.ZERO);
      assertThat(page.eventList()).as("in order").isEmpty();
      assertThat(page.cursor()).isEqualTo(before);

      slow.commit();

      FollowedEvent late = stream.next();
      assertThat(late.event().taskId()).isEqualTo("late");
      assertThat(late.event().id()).isLessThan(overtaker.event().id());
      assertThat(late.cursor()).isEqualTo(late.event().id());
      assertThat(told(3))
          .extracting(Event::id)
          .containsExactly(before, late.event().id(), overtaker.event().id());
    }
  }

  private void insertInto(LocalDate day, Connection connection, String body) throws SQLException {
    String table = "t_event_" + day.format(DateTimeFormatter.BASIC_ISO_DATE);
    try (var insert =
        connection.prepareStatement(
            "INSERT INTO " + table + " (event_time, kind, task_type, body) VALUES (?, 1, ?, ?)")) {
      insert.setLong(1, store.now());
      insert.setString(2, lark.name());
      insert.setString(3, body);
      insert.executeUpdate();
    }
  }

  @Test
  void aStreamThatIsCutBreaksNoOther() throws Exception {
    String cursor = begin;
    for (int cut = 0; cut < 60; cut++) {
      given.aWaitingTask().ofType(lark).create(20);
      try (EventStream<FollowedEvent> stream = events.open(ofLark(), cursor)) {
        for (int i = 0; i < 13; i++) {
          FollowedEvent next = stream.next();
          assertThat(next).as("cut " + cut + " event " + i).isNotNull();
          cursor = next.cursor();
        }
      }
    }
  }

  @Test
  void aStreamThatIsCutGoesOnWhereItWas() throws Exception {
    Set<String> told = new HashSet<>();
    String cursor = begin;
    for (int cut = 0; cut < 5; cut++) {
      given.aWaitingTask().ofType(lark).create(20);
      cursor = follow(cursor, 13, told);
    }
    while (told.size() < 100) {
      cursor = follow(cursor, 1, told);
    }
  }

  /** Reads so many events, or fewer if the connection breaks; returns the cursor after them. */
  private String follow(String cursor, int count, Set<String> told) throws InterruptedException {
    String last = cursor;
    try (EventStream<FollowedEvent> stream = events.open(ofLark(), cursor)) {
      FollowedEvent next = stream.next();
      for (int left = count; next != null && next.event() != null; next = stream.next()) {
        told.add(next.event().taskId());
        last = next.cursor();
        if (--left == 0) {
          break;
        }
      }
    } catch (FlowUnreachableException e) {
      // The next call goes on.
    }
    return last;
  }

  @Test
  void aStreamTellsWhatItsFilterWants() throws Exception {
    try (EventStream<FollowedEvent> stream =
        events.open(ofLark().ofKinds(SUCCESS).ofUser("bob"), begin)) {
      for (String user : List.of("ann", "bob")) {
        given.aWaitingTask().ofType(lark).ofUser(user).create();
        given.reportOn(hold()).success(null);
      }

      Event told = stream.next().event();

      assertThat(told.userId()).isEqualTo("bob");
      assertThat(told.kind()).isEqualTo(SUCCESS);
    }
  }

  @Test
  void aQuietStreamTellsItsCursor() throws Exception {
    try (EventStream<FollowedEvent> stream = events.open(EventFilter.ALL.ofUser("nobody"), null)) {
      FollowedEvent beat = stream.next();

      assertThat(beat.event()).isNull();
      assertThat(Long.parseLong(beat.cursor())).isGreaterThanOrEqualTo(Long.parseLong(begin));
    }
  }

  @Test
  void aListWaitsForTheNextEvent() {
    String now = events.list(ofLark(), null, 1, Duration.ZERO).cursor();
    var page =
        CompletableFuture.supplyAsync(
            () -> events.list(ofLark(), now, 10, Duration.ofSeconds(30)), OtherThread::start);
    TaskId id = aTask();

    assertThat(page.join().eventList()).extracting(Event::taskId).containsExactly(id.toString());
  }

  @Test
  void pagesFollowEachOther() {
    given.aWaitingTask().ofType(lark).create(25);
    List<Event> all = told(25);

    List<Event> paged = new ArrayList<>();
    String cursor = begin;
    for (int i = 0; i < 3; i++) {
      EventPage page = events.list(ofLark(), cursor, 10, Duration.ZERO);
      paged.addAll(page.eventList());
      cursor = page.cursor();
    }
    assertThat(paged).isEqualTo(all);
  }

  @Test
  void aTableThatIsDroppedMeanwhileIsReadAsEmpty() throws Exception {
    LocalDate yesterday = today().minusDays(1);
    String before = Long.toString(EventIds.before(yesterday));
    store.ensure(List.of(yesterday));
    try (Connection connection = database.getConnection()) {
      insertInto(yesterday, connection, "{\"taskId\":\"old\"}");
    }
    aTask();
    try (EventStream<FollowedEvent> stream = events.open(ofLark(), before)) {
      assertThat(stream.next().event().taskId()).isEqualTo("old");
      store.drop(yesterday);

      assertThat(stream.next().event().kind()).isEqualTo(CREATED);
    }
    try (EventStream<FollowedEvent> stream = events.open(ofLark(), before)) {
      assertThat(stream.next().event().kind()).isEqualTo(CREATED);
    }
  }

  @Test
  void aTypeThatDoesNotExistIsRefused() {
    EventFilter ofATypo = EventFilter.ALL.ofTypes(lark.name(), "nosuchtype");

    assertNoSuchType(() -> events.list(ofATypo, null, 1, Duration.ZERO));
    assertNoSuchType(() -> events.open(ofATypo, null));
  }

  private static void assertNoSuchType(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FlowException.class,
            e -> assertThat(e.errorCode()).isEqualTo(ErrorCode.NO_SUCH_TASK_TYPE))
        .hasMessageContaining("nosuchtype");
  }

  @Test
  void aCursorOfTheFutureIsRefused() {
    aTask();
    long last = Long.parseLong(told(1).get(0).id());
    assertThat(events.list(ofLark(), "" + last, 1, Duration.ZERO).eventList()).isEmpty();
    for (long future :
        new long[] {last + 1_000_000, EventIds.before(today().plusDays(1)), Long.MAX_VALUE / 10}) {
      assertThatThrownBy(() -> events.list(ofLark(), "" + future, 1, Duration.ZERO))
          .isInstanceOfSatisfying(
              FlowException.class,
              e -> assertThat(e.errorCode()).isEqualTo(ErrorCode.INVALID_INPUT))
          .hasMessageContaining("cursor lies in the future");
    }
  }

  @Test
  void aCursorBeforeTheRetentionIsRefusedAndNamesTheOldest() {
    LocalDate oldest = today().minusDays(3);

    assertThatThrownBy(
            () ->
                events.list(
                    ofLark(), Long.toString(EventIds.before(oldest) - 1), 10, Duration.ZERO))
        .isInstanceOfSatisfying(
            FlowException.class,
            e -> {
              assertThat(e.errorCode().code()).isEqualTo(8020);
              assertThat(e.errors().get(0).field()).isEqualTo("cursor");
              assertThat(e.errors().get(0).toString()).contains("" + EventIds.before(oldest));
            });
    assertThat(
            events
                .list(ofLark(), Long.toString(EventIds.before(oldest)), 10, Duration.ZERO)
                .eventList())
        .isEmpty();
  }
}
