package io.asyncflow.flowsvr.compose.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskType;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** What the calls about schedules take and refuse, in the words of the answers. */
@RunningServer
@Tag("contract")
class ScheduleWireIT {

  private static final long HOUR_MS = 3_600_000;

  @Autowired Given given;
  @LocalServerPort int port;
  private Wire wire;
  private TaskType type;
  private final String name = "s-" + UUID.randomUUID();

  @BeforeEach
  void aType() {
    wire = new Wire(port);
    type = given.aType().create();
  }

  @AfterEach
  void leaveNoSchedule() {
    wire.post("/api/schedule/delete", "{'name':'" + name + "'}");
  }

  private String target() {
    return "'taskData':{'userId':'ops','taskType':'" + type.name() + "','taskStage':'build'}";
  }

  private Wire.Answer save(String fields) {
    return wire.post(
        "/api/schedule/save", "{'scheduleData':{'name':'" + name + "'," + fields + "}}");
  }

  private void assertRefused(Wire.Answer answer, String field, String message) {
    JsonNode body = answer.body();
    assertThat(body.path("code").asInt()).as(body.toString()).isEqualTo(8020);
    assertThat(body.path("msg").asString()).isEqualTo(message);
    assertThat(body.path("errors").path(0).path("field").asString()).isEqualTo(field);
  }

  @Test
  void anUnknownFieldIsNamedWithItsPath() {
    assertRefused(
        save("'crom':'x','everyMs':60000," + target()),
        "scheduleData.crom",
        "scheduleData.crom is unknown");
    assertRefused(
        save("'everyMs':60000," + target().replace("}", ",'taskContxt':'{}'}")),
        "scheduleData.taskData.taskContxt",
        "scheduleData.taskData.taskContxt is unknown");
    assertRefused(
        save(
            "'everyMs':60000,'jobData':{'userId':'u','jobType':'%s','input':''}"
                .formatted(type.name())),
        "scheduleData.jobData.input",
        "scheduleData.jobData.input is unknown");
    assertRefused(
        save(
            "'everyMs':60000,'jobData':{'userId':'u','jobType':'%s','team':{'workers':0,'taskStage':'s','workerId':'w'}}"
                .formatted(type.name())),
        "scheduleData.jobData.team.workerId",
        "scheduleData.jobData.team.workerId is unknown");
    assertRefused(
        save(
            "'everyMs':60000,'jobData':{'userId':'u','jobType':'%s','children':[{'taskStage':'s'},{'taskStage':'s','taskContxt':''}]}"
                .formatted(type.name())),
        "scheduleData.jobData.children[1].taskContxt",
        "scheduleData.jobData.children[1].taskContxt is unknown");
    assertRefused(
        wire.post(
            "/api/schedule/saveAll",
            "{'scheduleDataList':[{'name':'a','everyMs':60000,'bad':1," + target() + "}]}"),
        "scheduleDataList[0].bad",
        "scheduleDataList[0].bad is unknown");
  }

  @Test
  void aFireHasAKeyOfItsOwn() {
    for (String field :
        List.of(
            "'idempotencyKey':'k'", "'onDuplicate':'KEEP'", "'keyMs':1000", "'keyUntilDone':1")) {
      String path = "scheduleData.taskData." + field.split("'")[1];
      assertRefused(
          save("'everyMs':60000," + target().replace("}", "," + field + "}")),
          path,
          path + " must not be given: each fire of the schedule has a key of its own");
    }
  }

  @Test
  void aPlanIsOneOfThree() {
    assertRefused(
        save(target()),
        "scheduleData.cron",
        "scheduleData.cron is required, or in its place everyMs or afterMs");
    assertRefused(
        save("'cron':'@daily','afterMs':60000," + target()),
        "scheduleData.afterMs",
        "scheduleData.afterMs must not be given with cron: a plan is one of cron, everyMs or afterMs");
    assertRefused(
        save("'everyMs':60000"),
        "scheduleData.taskData",
        "scheduleData.taskData is required, or jobData in its place");
    assertRefused(
        wire.post("/api/schedule/preview", "{}"),
        "cron",
        "cron is required, or in its place everyMs");
    assertRefused(
        wire.post("/api/schedule/preview", "{'afterMs':60000}"),
        "afterMs",
        "afterMs has no fire times to preview: a fire follows from the end of a run");
  }

  @Test
  void aZoneIsThatOfACron() {
    assertRefused(
        save("'everyMs':60000,'zone':'Europe/Berlin'," + target()),
        "scheduleData.zone",
        "scheduleData.zone belongs to cron");
    assertRefused(
        save("'cron':'@daily','zone':'CET'," + target()),
        "scheduleData.zone",
        "scheduleData.zone \"CET\": must be UTC, or a region of the IANA database such as"
            + " Europe/Berlin; offsets and names without a region are not understood");
    assertThat(save("'everyMs':60000,'zone':'UTC'," + target()).code()).isZero();
  }

  @Test
  void aCronSaysWhatIsWrongWithIt() {
    assertRefused(
        save("'cron':'0 0 3 * * * 2027'," + target()),
        "scheduleData.cron",
        "scheduleData.cron \"0 0 3 * * * 2027\": five fields (minute, hour, day of month, month, day"
            + " of week), or six with the second in front, not 7; years are not supported");
    assertThat(save("'cron':'0 0 22-4 * * *'," + target()).body().path("msg").asString())
        .contains("ascending ranges");
  }

  @Test
  void theFieldsOfACronMayBeDividedByTabs() {
    assertThat(wire.post("/api/schedule/preview", "{'cron':'0\\t3\\t*\\t*\\t*'}").code()).isZero();
    assertThat(save("'cron':'0\\t3\\t*\\t*\\t*'," + target()).code()).isZero();
  }

  @Test
  void aScheduleThatNeverFiresNamesTheField() {
    assertRefused(
        save("'everyMs':60000,'endTime':1700000000000," + target()),
        "scheduleData.endTime",
        "schedule " + name + " never fires: it has no fire time before its end");
    assertRefused(
        wire.post(
            "/api/schedule/saveAll",
            "{'scheduleDataList':[{'name':'"
                + name
                + "','everyMs':60000,"
                + target()
                + "},{'name':'"
                + name
                + "-2','everyMs':60000,'endTime':1700000000000,"
                + target()
                + "}]}"),
        "scheduleDataList[1].endTime",
        "schedule " + name + "-2 never fires: it has no fire time before its end");
  }

  @Test
  void aVersionOfAScheduleThatIsNotThereIsRefused() {
    Wire.Answer answer =
        wire.post(
            "/api/schedule/save",
            "{'ifVersion':7,'scheduleData':{'name':'"
                + name
                + "','everyMs':60000,"
                + target()
                + "}}");
    assertThat(answer.code()).isEqualTo(8053);
    assertThat(answer.body().path("msg").asString())
        .isEqualTo("there is no schedule " + name + ", so it has not version 7");
  }

  @Test
  void anAnchorIsATimeOrAnOffset() {
    assertThat(save("'everyMs':60000,'anchor':4827," + target()).code()).isZero();
    assertRefused(
        save("'everyMs':60000,'anchor':1795399200," + target()),
        "scheduleData.anchor",
        "scheduleData.anchor must be epoch milliseconds; 1795399200 looks like seconds: multiply it"
            + " by 1000");
  }

  @ParameterizedTest
  @CsvSource({"get", "fires", "pause", "resume", "trigger", "delete", "backfill"})
  void eachCallTakesAnIdOrAName(String call) {
    long to = System.currentTimeMillis();
    String range = ",'from':%s,'to':%s".formatted(to - 2 * HOUR_MS, to);
    String more = call.equals("backfill") ? range : "";
    String id = save("'everyMs':3600000," + target()).result().path("scheduleId").asString();

    assertRefused(
        wire.post("/api/schedule/" + call, "{" + more.replaceFirst(",", "") + "}"),
        "scheduleId",
        "scheduleId is required, or name in its place");
    assertThat(wire.post("/api/schedule/" + call, "{'name':'no " + name + "'" + more + "}").code())
        .isEqualTo(8038);
    assertThat(wire.post("/api/schedule/" + call, "{'name':'" + name + "'" + more + "}").code())
        .isZero();
    assertThat(wire.post("/api/schedule/" + call, "{'scheduleId':'" + id + "'" + more + "}").code())
        .isIn(call.equals("delete") ? List.of(8038) : List.of(0));
  }

  @Test
  void aBackfillGoesForward() {
    save("'everyMs':3600000," + target());
    long now = System.currentTimeMillis();

    assertRefused(
        wire.post(
            "/api/schedule/backfill",
            "{'name':'%s','from':%s,'to':%s}".formatted(name, now, now - HOUR_MS)),
        "to",
        "to must be after from");
    assertRefused(
        wire.post(
            "/api/schedule/backfill",
            "{'name':'%s','from':%s,'to':%s}".formatted(name, now - 1_000 * HOUR_MS, now)),
        "from",
        "from is older than the history of 7 days");
  }

  @Test
  void aBodyThatBreaksOffShowsNothingOfTheParser() {
    assertThat(wire.post("/api/schedule/save", "{'scheduleData':{").body().path("msg").asString())
        .doesNotContain("Source", "StreamReadFeature")
        .contains("line 1");
  }
}
