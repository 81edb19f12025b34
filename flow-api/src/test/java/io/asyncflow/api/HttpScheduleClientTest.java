package io.asyncflow.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.api.schedule.Backfilled;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.FirePage;
import io.asyncflow.api.schedule.FirePreview;
import io.asyncflow.api.schedule.FirePreviewRequest;
import io.asyncflow.api.schedule.GapReason;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.SaveOutcome;
import io.asyncflow.api.schedule.SavedSchedule;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.api.schedule.ScheduleFire;
import io.asyncflow.api.schedule.ScheduleGap;
import io.asyncflow.api.schedule.ScheduleListRequest;
import io.asyncflow.api.schedule.SchedulePage;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.api.schedule.TriggeredRun;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpScheduleClientTest {

  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final String NIGHTLY =
      "\"name\":\"nightly\",\"cron\":\"0 0 3 * * *\",\"zone\":\"Europe/Berlin\",\"taskData\":{"
          + "\"userId\":\"ops\",\"taskType\":\"report\",\"taskStage\":\"build\",\"taskContext\":\"{}\"}";

  private StubServer server;
  private ScheduleClient schedules;

  @BeforeEach
  void start() throws IOException {
    server = new StubServer("/api/schedule/");
    schedules = server.client().schedules();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static NewSchedule nightly() {
    return NewSchedule.cron("nightly", "0 0 3 * * *", BERLIN)
        .creating(NewTask.of("report", "build", "ops", "{}"));
  }

  @Test
  void aSaveSendsWhatTheDefinitionNamesAndNothingElse() {
    server.answers("{\"scheduleId\":\"7\",\"outcome\":\"CREATED\",\"nextFireTime\":1795388400000}");
    assertThat(schedules.save(nightly()))
        .isEqualTo(new SavedSchedule("7", SaveOutcome.CREATED, 1_795_388_400_000L));
    assertThat(server.seen).containsExactly("save {\"scheduleData\":{" + NIGHTLY + "}}");
  }

  @Test
  void everyFieldOfADefinitionHasItsNameOnTheWire() {
    server.answers("{\"scheduleId\":\"7\",\"outcome\":\"CHANGED\"}");
    schedules.save(
        NewSchedule.every("probe", Duration.ofSeconds(30))
            .creating(NewTask.of("report", "build", "ops", "{}"))
            .creating(NewJob.of("book", "ops", "x"))
            .anchor(Instant.ofEpochMilli(1))
            .startTime(Instant.ofEpochMilli(2))
            .endTime(Instant.ofEpochMilli(3))
            .maxFires(4)
            .overlap(Overlap.SKIP)
            .catchUp(CatchUp.ALL)
            .catchUpWithin(Duration.ofMillis(5))
            .catchUpLimit(6)
            .jitter(Duration.ofMillis(7))
            .pauseAfterFailures(8)
            .weight(9)
            .revision(10),
        11);
    schedules.save(
        NewSchedule.after("again", Duration.ofMinutes(1)).creating(NewJob.of("book", "ops", "x")));
    String book = "\"jobData\":{\"userId\":\"ops\",\"jobType\":\"book\",\"jobInput\":\"x\"}";
    assertThat(server.seen)
        .containsExactly(
            "save {\"scheduleData\":{\"name\":\"probe\",\"everyMs\":30000,\"anchor\":1,"
                + book
                + ",\"startTime\":2,\"endTime\":3,\"maxFires\":4,\"overlap\":\"SKIP\","
                + "\"catchUp\":\"ALL\",\"catchUpMs\":5,\"catchUpLimit\":6,\"jitterMs\":7,"
                + "\"pauseAfterFailures\":8,\"weight\":9,\"revision\":10},\"ifVersion\":11}",
            "save {\"scheduleData\":{\"name\":\"again\",\"afterMs\":60000," + book + "}}");
  }

  @Test
  void severalAreSavedWithOneCall() {
    server.answers(
        "{\"savedList\":[{\"scheduleId\":\"7\",\"outcome\":\"UNCHANGED\",\"nextFireTime\":1},"
            + "{\"scheduleId\":\"8\",\"outcome\":\"KEPT\"}]}");
    assertThat(schedules.saveAll(List.of(nightly(), nightly())))
        .containsExactly(
            new SavedSchedule("7", SaveOutcome.UNCHANGED, 1L),
            new SavedSchedule("8", SaveOutcome.KEPT, null));
    assertThat(server.seen)
        .containsExactly("saveAll {\"scheduleDataList\":[{" + NIGHTLY + "},{" + NIGHTLY + "}]}");
  }

  @Test
  void aScheduleIsReadByIdOrByName() {
    String data =
        "{\"scheduleId\":\"7\","
            + NIGHTLY
            + ",\"overlap\":\"ALLOW\",\"state\":\"PAUSED\",\"nextFireTime\":5,\"fireCount\":4,"
            + "\"failStreak\":1,\"lastError\":\"boom\",\"lateMs\":0,\"slice\":9,\"owner\":\"n1\","
            + "\"epoch\":2,\"version\":12,\"pauseUntil\":99,\"createTime\":1,\"modifyTime\":3}";
    Schedule expected =
        new Schedule(
            "7",
            nightly().overlap(Overlap.ALLOW),
            ScheduleState.PAUSED,
            5L,
            null,
            4,
            1,
            "boom",
            0,
            9,
            "n1",
            2,
            12,
            99L,
            1,
            3);
    server.answers("{\"scheduleData\":" + data + "}");
    assertThat(schedules.get("7")).isEqualTo(expected);
    assertThat(schedules.find("nightly").name()).isEqualTo("nightly");

    server.answers("{\"scheduleList\":[" + data + "],\"nextCursor\":\"7\"}");
    ScheduleListRequest ended =
        new ScheduleListRequest(Set.of(ScheduleState.PAUSED), "report", 5, "9");
    assertThat(schedules.list(ended)).isEqualTo(new SchedulePage(List.of(expected), "7"));
    assertThat(schedules.list(ScheduleListRequest.all().withCursor("7")).nextCursor())
        .isEqualTo("7");
    assertThat(server.seen)
        .containsExactly(
            "get {\"scheduleId\":\"7\"}",
            "get {\"name\":\"nightly\"}",
            "list {\"state\":\"PAUSED\",\"taskType\":\"report\",\"limit\":5,\"cursor\":\"9\"}",
            "list {\"state\":\"\",\"cursor\":\"7\"}");
  }

  @Test
  void aHistoryHasFiresAndGaps() {
    server.answers(
        "{\"fireList\":[{\"fireTime\":9,\"outcome\":\"CREATED\",\"manual\":true,\"makeTime\":8,"
            + "\"taskId\":\"1_report_task_1\",\"status\":4,\"endTime\":20,\"costMs\":11,"
            + "\"node\":\"n1\",\"epoch\":2}],"
            + "\"gapList\":[{\"fromTime\":1,\"toTime\":5,\"fires\":5,\"reason\":\"MERGED\"}],"
            + "\"nextCursor\":null}");
    assertThat(schedules.fires("7", 50, null))
        .isEqualTo(
            new FirePage(
                List.of(
                    new ScheduleFire(
                        9,
                        FireOutcome.CREATED,
                        true,
                        8,
                        "1_report_task_1",
                        null,
                        4,
                        20L,
                        11L,
                        "n1",
                        2)),
                List.of(new ScheduleGap(1, 5, 5, GapReason.MERGED)),
                null));
    assertThat(server.seen).containsExactly("fires {\"scheduleId\":\"7\",\"limit\":50}");
  }

  @Test
  void aPreviewAsksForAPlan() {
    server.answers(
        "{\"times\":[1],\"localTimes\":[\"1970-01-01T01:00:00+01:00\"],\"kind\":\"FIXED\"}");
    FirePreview preview =
        new FirePreview(List.of(1L), List.of("1970-01-01T01:00:00+01:00"), FirePreview.Kind.FIXED);
    assertThat(schedules.preview(FirePreviewRequest.of(nightly()))).isEqualTo(preview);
    schedules.preview(
        FirePreviewRequest.ofInterval(Duration.ofSeconds(30))
            .from(Instant.ofEpochMilli(5))
            .count(3));
    assertThat(server.seen)
        .containsExactly(
            "preview {\"cron\":\"0 0 3 * * *\",\"zone\":\"Europe/Berlin\"}",
            "preview {\"everyMs\":30000,\"from\":5,\"count\":3}");
  }

  @Test
  void actsMaySayWhoAndWhy() {
    server.answers("null");
    schedules.pause("7", Instant.ofEpochMilli(5), "ann", "too many");
    schedules.pause("7");
    schedules.resume("7", true, "ann", "fixed");
    schedules.resume("7");
    schedules.delete("7", "ann", "gone");
    schedules.delete("7");
    assertThat(server.seen)
        .containsExactly(
            "pause {\"scheduleId\":\"7\",\"until\":5,\"operator\":\"ann\",\"reason\":\"too many\"}",
            "pause {\"scheduleId\":\"7\"}",
            "resume {\"scheduleId\":\"7\",\"catchUp\":1,\"operator\":\"ann\",\"reason\":\"fixed\"}",
            "resume {\"scheduleId\":\"7\",\"catchUp\":0}",
            "delete {\"scheduleId\":\"7\",\"operator\":\"ann\",\"reason\":\"gone\"}",
            "delete {\"scheduleId\":\"7\"}");
  }

  @Test
  void runsAreCreatedByHand() {
    server.answers("{\"jobId\":\"5\"}");
    assertThat(schedules.trigger("7", "k")).isEqualTo(new TriggeredRun(null, "5"));
    schedules.trigger("7", null, "ann", "again");
    server.answers("{\"made\":2,\"nextFrom\":4}");
    assertThat(schedules.backfill("7", Instant.ofEpochMilli(1), Instant.ofEpochMilli(9), 2))
        .isEqualTo(new Backfilled(2, 4L));
    schedules.backfill("7", Instant.ofEpochMilli(1), Instant.ofEpochMilli(9), 2, "ann", "missed");
    assertThat(server.seen)
        .containsExactly(
            "trigger {\"scheduleId\":\"7\",\"idempotencyKey\":\"k\"}",
            "trigger {\"scheduleId\":\"7\",\"operator\":\"ann\",\"reason\":\"again\"}",
            "backfill {\"scheduleId\":\"7\",\"from\":1,\"to\":9,\"limit\":2}",
            "backfill {\"scheduleId\":\"7\",\"from\":1,\"to\":9,\"limit\":2,\"operator\":\"ann\","
                + "\"reason\":\"missed\"}");
  }

  @Test
  void aScheduleThatIsNotThereHasACodeOfItsOwn() {
    server.refuses(404, "{\"msg\":\"no such schedule\",\"code\":8038,\"result\":null}");
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> schedules.find("nightly"))
        .satisfies(e -> assertThat(e.errorCode()).isEqualTo(ErrorCode.NO_SUCH_SCHEDULE));
  }
}
