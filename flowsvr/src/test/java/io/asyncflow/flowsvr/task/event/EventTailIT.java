package io.asyncflow.flowsvr.task.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.flowsvr.base.system.db.DatabaseWatch;
import io.asyncflow.flowsvr.base.system.db.DirectDatabase;
import io.asyncflow.flowsvr.task.event.log.EventIds;
import io.asyncflow.flowsvr.task.event.log.TravellingEventStore;
import io.asyncflow.rules.TaskType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;

/** What the tail reads where time counts; the test moves both clocks. */
@RunningServer
@Tag("contract")
@Timeout(120)
class EventTailIT {

  private static final LocalDate DAY = LocalDate.of(2031, 5, 1);
  private static final LocalDate NEXT = DAY.plusDays(1);
  private static final Instant MIDNIGHT = NEXT.atStartOfDay(ZoneOffset.UTC).toInstant();

  @Autowired Given given;
  @Autowired DataSource database;
  @Autowired DirectDatabase direct;
  private final AtomicLong nanos = new AtomicLong();
  private final DatabaseWatch watch = mock();
  private TravellingEventStore store;
  private EventTail tail;
  private EventReader reader;
  private TaskType type;
  private final List<String> read = new ArrayList<>();

  @BeforeEach
  void aTail() throws Exception {
    type = given.aType().create();
    store = TravellingEventStore.on(database, direct);
    Node node =
        new Node() {
          @Override
          public long nanoTime() {
            return nanos.get();
          }
        };
    tail = new EventTail(store, watch, node, new TaskMeters(new SimpleMeterRegistry()));
  }

  @AfterEach
  void leaveNoTable() {
    tail.destroy();
    store.drop(DAY);
    store.drop(NEXT);
    store.close();
  }

  private void beginAt(Instant time) {
    store.travelTo(time);
    tail.add(() -> {});
    reader = tail.readerAfter(EventIds.before(DAY));
    readOn();
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  /** Waits for a whole round, and reads what there is. */
  private void readOn() {
    pass(Duration.ofSeconds(1)); // the pause in doubt
    long begun = tail.roundsBegun();
    tail.wake();
    await().until(() -> tail.roundsBegun() > begun + 1 && tail.stable().isPresent());
    for (List<ReadEvent> page = reader.read(10); !page.isEmpty(); page = reader.read(10)) {
      page.forEach(event -> read.add(event.event().scheduleId()));
    }
  }

  private long cursor() {
    return reader.cursor().orElseThrow();
  }

  @Test
  void stableStaysInADayUntilNoTransactionCanWriteIntoItAnyMore() {
    beginAt(MIDNIGHT.minusSeconds(60));
    store.write(type, "evening");
    readOn();
    assertThat(cursor()).isEqualTo(EventIds.before(DAY) + 1);

    store.travelTo(MIDNIGHT.plusSeconds(5));
    store.write(type, "morning");
    readOn();
    assertThat(read).as("at once").containsExactly("evening", "morning");
    assertThat(cursor()).isEqualTo(EventIds.before(DAY) + 1);

    store.travelTo(MIDNIGHT.minusSeconds(1));
    store.write(type, "late");
    store.travelTo(MIDNIGHT.plusSeconds(150));
    readOn();
    assertThat(read).containsExactly("evening", "morning", "late");
    assertThat(cursor()).isEqualTo(EventIds.before(DAY) + 2);

    store.travelTo(MIDNIGHT.plusSeconds(201));
    readOn();
    readOn(); // at least one round after the one that has read this time
    assertThat(cursor()).isEqualTo(EventIds.before(NEXT) + 1);
  }

  @Test
  void aTailThatBeginsAfterMidnightReadsBothDays() {
    store.travelTo(MIDNIGHT.minusSeconds(10));
    store.write(type, "evening");
    store.travelTo(MIDNIGHT.plusSeconds(10));
    store.write(type, "morning");
    beginAt(MIDNIGHT.plusSeconds(20));

    assertThat(read).containsExactly("evening", "morning");
    assertThat(cursor()).isEqualTo(EventIds.before(DAY) + 1);
  }

  @Test
  void aGapIsForgottenAfterAHundredSeconds() throws Exception {
    Instant noon = MIDNIGHT.minusSeconds(43_200);
    store.travelTo(noon);
    store.write(type, "first");
    beginAt(noon);
    try (Connection rolledBack = aTransaction()) {
      insertInto(rolledBack, "never");
      rolledBack.rollback();
    }
    store.write(type, "second");
    readOn();
    assertThat(read).containsExactly("first", "second");
    assertThat(cursor()).isEqualTo(EventIds.before(DAY) + 1);

    pass(Duration.ofSeconds(95));
    readOn();
    assertThat(cursor()).isEqualTo(EventIds.before(DAY) + 1);

    pass(Duration.ofSeconds(6));
    readOn();
    assertThat(cursor()).isEqualTo(EventIds.before(DAY) + 3);
  }

  private Connection aTransaction() throws SQLException {
    Connection connection = database.getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  private static void insertInto(Connection transaction, String scheduleId) throws SQLException {
    try (PreparedStatement insert =
        transaction.prepareStatement(
            "INSERT INTO t_event_20310501 (event_time, kind, task_type, body)"
                + " VALUES (0, 1, 'x', CONCAT('{\"scheduleId\":\"', ?, '\"}'))")) {
      insert.setString(1, scheduleId);
      insert.executeUpdate();
    }
  }

  @Test
  void idsThatTheStepSkipsAreNoGaps() throws Exception {
    when(watch.hasKept(any(), anyLong())).thenReturn(true);
    store.stepBy(3, 2);
    beginAt(MIDNIGHT.minusSeconds(3_600));
    for (int i = 1; i <= 3; i++) {
      store.write(type, "" + i);
      readOn();
      assertThat(read).hasSize(i);
      assertThat(cursor())
          .isEqualTo(store.page(EventIds.before(DAY), EventIds.before(NEXT), 10).get(i - 1).id());
    }
  }

  @Test
  void stableWaitsForIdsOfTheStepBefore() throws Exception {
    beginAt(MIDNIGHT.minusSeconds(3_600));
    store.write(type, "first");
    readOn();
    try (Connection late = aTransaction()) {
      insertInto(late, "late");
      store.stepBy(3, 2);
      store.write(type, "second");
      readOn();
      store.write(type, "third");
      readOn();
      assertThat(read).as("at once").containsExactly("first", "second", "third");
      assertThat(cursor()).isEqualTo(EventIds.before(DAY) + 1);

      late.commit();
    }
    readOn();
    assertThat(read).containsExactly("first", "second", "third", "late");
  }

  @Test
  void aTailBeginsBelowEverythingThatMayBeOpen() {
    Instant noon = MIDNIGHT.minusSeconds(43_200);
    store.travelTo(noon);
    for (int i = 0; i < 3; i++) {
      store.write(type, "old");
    }
    store.travelTo(noon.plusSeconds(90));
    store.write(type, "young");

    assertThat(store.lastBefore(DAY, noon.plusSeconds(50).toEpochMilli()))
        .isLessThanOrEqualTo(EventIds.before(DAY) + 3);
    assertThat(store.lastBefore(DAY, noon.toEpochMilli())).isEqualTo(EventIds.before(DAY));
    assertThat(store.lastBefore(NEXT, noon.toEpochMilli())).isEqualTo(EventIds.before(NEXT));
  }

  @Test
  void aReaderThatComesLaterReadsAllAndThenWhatFollows() {
    beginAt(MIDNIGHT.minusSeconds(3_600));
    for (int i = 0; i < 25; i++) {
      store.write(type, "" + i);
    }
    readOn();
    reader = tail.readerAfter(EventIds.before(DAY) + 5);
    read.clear();
    readOn();
    assertThat(read).hasSize(20).startsWith("5").endsWith("24");
    store.write(type, "new");
    readOn();
    assertThat(read).hasSize(21).endsWith("new");
    assertThat(cursor()).isEqualTo(EventIds.before(DAY) + 26);
  }
}
