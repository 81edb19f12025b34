package io.asyncflow.fake;

import static io.asyncflow.api.event.EventKind.CANCELLED;
import static io.asyncflow.api.event.EventKind.CREATED;
import static io.asyncflow.api.event.EventKind.FAILED;
import static io.asyncflow.api.event.EventKind.HELD;
import static io.asyncflow.api.event.EventKind.REPLACED;
import static io.asyncflow.api.event.EventKind.RETRY;
import static io.asyncflow.api.event.EventKind.REVIVED;
import static io.asyncflow.api.event.EventKind.REVOKED;
import static io.asyncflow.api.event.EventKind.WORKER_LOST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.EventStream;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventFilter;
import io.asyncflow.api.event.EventPage;
import io.asyncflow.api.event.FollowedEvent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class FakeEventsTest {

  private final AtomicLong nanos = new AtomicLong(TimeUnit.DAYS.toNanos(1));
  private final FakeFlowServer server = new FakeFlowServer(nanos::get).withType("lark");

  private void tell(int events) {
    server.saveTaskType(TaskTypeSettings.named("lark").withEvents(events));
  }

  private Task hold() {
    return server.holdTasks(new HoldRequest("lark", 1, "w", 0, null, List.of())).get(0);
  }

  private void report(Task task, Outcome outcome) {
    server.report(List.of(Report.of(task.taskId(), "w", task.leaseEpoch(), outcome)));
  }

  private EventPage all() {
    return server.events().list(EventFilter.ALL, "0", 100, Duration.ZERO);
  }

  @Test
  void typeThatDoesNotExistIsRefused() {
    EventFilter ofATypo = EventFilter.ALL.ofTypes("lrak");
    assertThatThrownBy(() -> server.events().list(ofATypo, null, 1, Duration.ZERO))
        .hasMessage("there is no task type lrak; /api/task_schedule_cfg/save creates one");
    assertThatThrownBy(() -> server.events().open(ofATypo, null))
        .hasMessage("there is no task type lrak; /api/task_schedule_cfg/save creates one");
  }

  @Test
  void everyStepIsToldInItsOrder() {
    tell(2);
    String id = server.createTask(NewTask.of("lark", "first", "ann", "{}"));
    hold();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(31));
    report(hold(), Outcome.FAIL);
    server.retryTask(id);
    server.cancelTask(id);

    assertThat(all().eventList())
        .extracting(Event::kind)
        .containsExactly(CREATED, HELD, WORKER_LOST, HELD, FAILED, REVIVED, CANCELLED);
    assertThat(all().eventList()).extracting(Event::taskId).containsOnly(id);
  }

  @Test
  void aHoldThatAnOperatorEndsIsTold() {
    tell(2);
    String id = server.createTask(NewTask.of("lark", "first", "ann", "{}"));
    hold();
    server.restartTask(id, "ops", "it hangs");
    hold();
    server.setWorkers(id, List.of("another"), "ops", "it needs another machine");

    assertThat(all().eventList())
        .extracting(Event::kind)
        .containsExactly(CREATED, HELD, REVOKED, HELD, REVOKED);
  }

  @Test
  void createsWithTheKeyOfATaskTellWhatBecomesOfIt() {
    tell(2);
    NewTask task = NewTask.of("lark", "first", "ann", "{}").withIdempotencyKey("k");
    server.createTask(task);
    server.createTask(task);
    server.createTask(task.withOnDuplicate(OnDuplicate.REPLACE));
    report(hold(), Outcome.FAIL);
    server.createTask(task.withOnDuplicate(OnDuplicate.RERUN));

    assertThat(all().eventList())
        .extracting(Event::kind)
        .containsExactly(CREATED, REPLACED, HELD, FAILED, REVIVED);
  }

  @Test
  void aTypeTellsNothingByDefault() {
    server.createTask(NewTask.of("lark", "first", "ann", "{}"));

    assertThat(all().eventList()).isEmpty();
  }

  @Test
  void aTypeMayTellOfEndsAlone() {
    tell(1);
    server.createTask(NewTask.of("lark", "first", "ann", "{}"));
    report(hold(), Outcome.FAIL);

    assertThat(all().eventList()).extracting(Event::kind).containsExactly(FAILED);
  }

  @Test
  void aStreamGoesOnAfterItsCursor() throws Exception {
    tell(2);
    server.createTask(NewTask.of("lark", "first", "ann", "{}"));
    String cursor;
    try (EventStream<FollowedEvent> stream = server.events().open(EventFilter.ALL, "0")) {
      cursor = stream.next().cursor();
    }
    report(hold(), Outcome.RETRY);
    try (EventStream<FollowedEvent> stream =
        server.events().open(EventFilter.ALL.ofKinds(RETRY), cursor)) {
      assertThat(stream.next().event().kind()).isEqualTo(RETRY);
    }
  }

  @Test
  void aListWaits() {
    tell(2);
    CompletableFuture<EventPage> page =
        CompletableFuture.supplyAsync(
            () -> server.events().list(EventFilter.ALL, "0", 10, Duration.ofSeconds(20)),
            run -> new Thread(run).start());
    server.createTask(NewTask.of("lark", "first", "ann", "{}"));

    assertThat(page.join().eventList()).hasSize(1);
  }
}
