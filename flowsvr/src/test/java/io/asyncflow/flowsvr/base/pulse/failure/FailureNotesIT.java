package io.asyncflow.flowsvr.base.pulse.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.OwnSchema;
import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.base.duty.Retention;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.PagedDelete;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.rules.Fingerprint;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** What stands in the table of failures, also after a storm. */
@Tag("contract")
class FailureNotesIT {

  private static final TaskTable TABLE = new TaskTable(new TaskType("lark"), 3);
  private static final long HOUR_MS = Duration.ofHours(1).toMillis();

  private final OwnSchema schema = new OwnSchema();
  private final JdbcTemplate jdbc = schema.template();
  private final long now = jdbc.queryForObject("SELECT UNIX_TIMESTAMP() * 1000", Long.class);
  private final AtomicLong numbers = new AtomicLong(1_000_000);

  @AfterEach
  void close() {
    schema.close();
  }

  private FailureNotes server() {
    return new FailureNotes(new FailureStore(jdbc, new Node()));
  }

  @Test
  void failuresThatAreAlikeAreCountedInOneGroup() {
    FailureNotes notes = server();
    notes.add(note(now, "no tape in drive 3", false));
    notes.add(note(now + 1, "no tape in drive 4", true));
    notes.runOnce();

    assertThat(jdbc.queryForList("SELECT * FROM t_failure_group"))
        .singleElement()
        .satisfies(
            row ->
                assertThat(row)
                    .containsEntry("hour", (int) (now / HOUR_MS))
                    .containsEntry(
                        "fingerprint",
                        Fingerprint.of("merge", "RETRY", "no tape in drive 9").value())
                    .containsEntry("failures", 2)
                    .containsEntry("finals", 1)
                    .containsEntry("first_time", now)
                    .containsEntry("last_time", now + 1)
                    .containsEntry("sample", "no tape in drive 4"));
  }

  @Test
  void stormIsCountedExactly() {
    FailureNotes notes = server();
    AtOnce.from(
        4,
        thread -> {
          for (int i = 0; i < 7_500; i++) {
            notes.add(note(now, "no tape in drive " + i, i % 10 == 0));
          }
          return null;
        });
    notes.runOnce();
    notes.runOnce();

    assertThat(count("SELECT SUM(failures) FROM t_failure_group")).isEqualTo(30_000);
    assertThat(count("SELECT SUM(finals) FROM t_failure_group")).isEqualTo(3_000);
    assertThat(count("SELECT COUNT(*) FROM t_failure_group")).isOne();
  }

  @Test
  void serversAndHoursHaveGroupsOfTheirOwn() {
    FailureNotes one = server();
    FailureNotes two = server();
    for (int i = 0; i < 3; i++) {
      one.add(note(now, "no tape", false));
      two.add(note(now, "no tape", false));
      two.add(note(now - HOUR_MS, "no tape", false));
      one.runOnce();
      two.runOnce();
    }

    assertThat(count("SELECT COUNT(*) FROM t_failure_group")).isEqualTo(3);
    assertThat(count("SELECT SUM(failures) FROM t_failure_group")).isEqualTo(9);
  }

  @Test
  void groupsBeyondThoseThatFitAreCountedTogether() {
    FailureNotes notes = server();
    for (int i = 0; i < 3_000; i++) {
      notes.add(note(now, "x".repeat(1 + i / 1_000) + letters(i % 1_000), false));
    }
    notes.runOnce();

    assertThat(count("SELECT COUNT(*) FROM t_failure_group")).isEqualTo(2_001);
    assertThat(count("SELECT SUM(failures) FROM t_failure_group")).isEqualTo(3_000);
    assertThat(count("SELECT failures FROM t_failure_group WHERE fingerprint = 0"))
        .isEqualTo(1_000);
  }

  @Test
  void eachHourHasRoomForItsGroups() {
    FailureNotes notes = server();
    for (int hour = 1; hour >= 0; hour--) {
      for (int i = 0; i < 1_500; i++) {
        notes.add(
            note(now - hour * HOUR_MS, "x".repeat(1 + i / 1_000) + letters(i % 1_000), false));
      }
      notes.runOnce();
    }

    assertThat(count("SELECT COUNT(*) FROM t_failure_group")).isEqualTo(3_000);
    assertThat(count("SELECT COUNT(*) FROM t_failure_group WHERE fingerprint = 0")).isZero();
  }

  @Test
  void databaseWhoseClockStepsBackLosesNoCounts() {
    FailureNotes notes = server();
    for (int hoursAgo : new int[] {5, 3, 0, 5, 3}) {
      notes.add(note(now - hoursAgo * HOUR_MS, "no tape", false));
      notes.runOnce();
    }

    assertThat(count("SELECT SUM(failures) FROM t_failure_group")).isEqualTo(5);
  }

  @Test
  void whatIsLeftIsWrittenWhenTheServerStops() {
    FailureNotes notes = server();
    notes.add(note(now, "no tape", false));
    notes.destroy();

    assertThat(count("SELECT SUM(failures) FROM t_failure_group")).isOne();
  }

  private static String letters(int number) {
    return Integer.toString(number + 1_000, 26)
        .chars()
        .mapToObj(
            c ->
                String.valueOf((char) ('k' + Character.digit(c, 26) % 13))
                    + (Character.digit(c, 26) / 13 == 0 ? "p" : "q"))
        .reduce("", String::concat);
  }

  @Test
  void everyTextFits() {
    FailureNotes notes = server();
    notes.add(note(now, "\uD83D\uDE00".repeat(5_000), false));
    notes.add(note(now, "\u202E%_\\'\";--", false));
    notes.runOnce();

    assertThat(jdbc.queryForList("SELECT CHAR_LENGTH(sample) FROM t_failure_group", Integer.class))
        .containsExactlyInAnyOrder(1_000, 9);
  }

  @Test
  void oldOnesAreDeleted() {
    FailureNotes notes = server();
    notes.add(note(now - Duration.ofDays(15).toMillis(), "no tape", false));
    notes.add(note(now - Duration.ofDays(13).toMillis(), "no tape", false));
    notes.runOnce();
    RetryingTransactions transactions =
        new RetryingTransactions(new JdbcTransactionManager(schema.connections()));
    DutyIntervals every = new DutyIntervals(Duration.ofSeconds(1), Duration.ofSeconds(60));
    Duty retention =
        new FailureStore(jdbc, new Node())
            .failureRetentionDuty(
                new Retention(every, new PagedDelete(transactions)), Duration.ofDays(14));

    assertThat(retention.runOnce().get()).isEqualTo(1);
    assertThat(count("SELECT COUNT(*) FROM t_failure_group")).isOne();
  }

  private FailureNote note(long time, String message, boolean isFinal) {
    TaskId task = new TaskId(numbers.incrementAndGet(), TABLE);
    return new FailureNote(task, time, "merge", isFinal, "RETRY", FailureNote.cut(message));
  }

  private long count(String sql) {
    return jdbc.queryForObject(sql, Long.class);
  }
}
