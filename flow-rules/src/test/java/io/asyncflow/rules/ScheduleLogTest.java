package io.asyncflow.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduleLogTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Test
  void entriesAreReadInTheirOrder() {
    String log = "";
    for (int i = 1; i <= 8; i++) {
      log =
          ScheduleLog.append(
              log,
              new ScheduleLog.Entry(
                  "t" + i, i == 8 ? null : "e", 5, null, "s", "RETRY", "w", i, i));
    }

    assertThat(ScheduleLog.entries(log))
        .extracting(ScheduleLog.Entry::leaseEpoch)
        .containsExactly(3, 4, 5, 6, 7, 8);
    assertThat(ScheduleLog.entries(log).get(5))
        .isEqualTo(new ScheduleLog.Entry("t8", null, 5, null, "s", "RETRY", "w", 8, 8));
    assertThat(ScheduleLog.entries("no log")).isEmpty();
    assertThat(ScheduleLog.entries("{\"origin\":\"1_lark_task_1\"}")).isEmpty();
  }

  @Test
  void entryHasTheMembersThatOldClientsReadAndSomeMore() {
    JsonNode last = read(ScheduleLog.append("", anEntry("it rained", 12))).get("lastData");
    assertThat(last.get("traceId").asText()).isEqualTo("trace");
    assertThat(last.get("errMsg").asText()).isEqualTo("it rained");
    assertThat(last.get("cost").asText()).isEqualTo("12ms");
    assertThat(last.get("stage").asText()).isEqualTo("first");
    assertThat(last.get("outcome").asText()).isEqualTo("RETRY");
    assertThat(last.get("workerId").asText()).isEqualTo("worker");
    assertThat(last.get("leaseEpoch").asInt()).isEqualTo(3);
    assertThat(last.get("time").asLong()).isEqualTo(1_800_000_000_000L);
  }

  @Test
  void fiveEntriesAreKeptBesidesTheLast() {
    String log = "";
    for (int i = 1; i <= 20; i++) {
      log = ScheduleLog.append(log, anEntry("error " + i, i));
      assertThat(read(log).get("historyDatas")).hasSize(Math.min(5, i - 1));
    }
    JsonNode root = read(log);
    assertThat(root.fieldNames()).toIterable().containsExactly("lastData", "historyDatas");
    assertThat(root.get("lastData").get("errMsg").asText()).isEqualTo("error 20");
    List<String> history =
        root.get("historyDatas").valueStream().map(entry -> entry.get("cost").asText()).toList();
    assertThat(history).containsExactly("15ms", "16ms", "17ms", "18ms", "19ms");
  }

  @Test
  void nothingWentWrongIsAnEmptyMessageAndNoNegativeCost() {
    JsonNode last = read(ScheduleLog.append("", anEntry(null, -5))).get("lastData");
    assertThat(last.get("errMsg").asText()).isEmpty();
    assertThat(last.get("cost").asText()).isEqualTo("0ms");
  }

  @Test
  void lastLineIsReadAsItWasWritten() {
    String log =
        ScheduleLog.append(ScheduleLog.append("", anEntry("early", 1)), anEntry("late", 7));
    assertThat(ScheduleLog.last(log)).isEqualTo(new ScheduleLog.Last("RETRY", "late", 7L));
    assertThat(ScheduleLog.last(ScheduleLog.append(log, anEntry(null, 3))))
        .isEqualTo(new ScheduleLog.Last("RETRY", null, 3L));
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "it rained", "[]", "{}", "{\"lastData\":{\"cost\":\"soon\"}}"})
  void logOfSomebodyElseTellsNothing(String log) {
    assertThat(ScheduleLog.last(log)).isEqualTo(new ScheduleLog.Last(null, null, null));
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "",
        "  ",
        "{}",
        "null",
        "[]",
        "42",
        "\"text\"",
        "not json",
        "{\"lastData\":",
        "{\"lastData\":7,\"historyDatas\":{}}",
        "{\"lastData\":null,\"historyDatas\":null}",
        "{\"historyDatas\":[1,null,\"x\",[]]}"
      })
  void logOfAnotherFormIsBegunAnew(String log) {
    JsonNode root = read(ScheduleLog.append(log, anEntry("mine", 1)));
    assertThat(root.get("lastData").get("errMsg").asText()).isEqualTo("mine");
    assertThat(root.get("historyDatas")).isEmpty();
  }

  @Test
  void whatTheCreatorWroteBesideStays() {
    String log = ScheduleLog.append("{\"origin\":\"1_lark_task_1\"}", anEntry("mine", 1));
    log = ScheduleLog.append(log, anEntry("mine", 2));
    assertThat(read(log).get("origin").asText()).isEqualTo("1_lark_task_1");
    assertThat(read(log).get("historyDatas")).hasSize(1);
  }

  @Test
  void whatLeavesNoRoomDoesNotStay() {
    String log = "{\"mine\":\"%s\"}".formatted("x".repeat(65_500));
    JsonNode root = read(ScheduleLog.append(log, anEntry("mine", 1)));
    assertThat(root.fieldNames())
        .toIterable()
        .containsExactlyInAnyOrder("lastData", "historyDatas");
  }

  @Test
  void logAsOldClientsWriteItGoesOn() {
    String old =
        """
        {"lastData":{"traceId":"a","errMsg":"old","cost":"3ms"},
         "historyDatas":[{"traceId":"b","errMsg":"older","cost":"2ms"}]}\
        """;
    JsonNode root = read(ScheduleLog.append(old, anEntry("mine", 1)));
    assertThat(root.get("historyDatas").valueStream().map(e -> e.get("errMsg").asText()))
        .containsExactly("older", "old");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // of the Java projects: the object, or a text with the object; it begins with no entry
        "{'historyDatas':[{}],'lastData':{'cost':'12','errMsg':'no tape','traceId':'t'}}",
        "\"{\\\"historyDatas\\\":[{}],\\\"lastData\\\":{\\\"errMsg\\\":\\\"no tape\\\"}}\"",
        // of the Go projects
        "{'LastData':{'TraceId':'t','ErrMsg':'no tape','Cost':'12ms'},'HistoryDatas':[{}]}"
      })
  void logOfAnOldClientIsReadAndGoesOnInEachOfItsForms(String written) {
    String log = written.replace('\'', '"');
    assertThat(ScheduleLog.last(log).error()).isEqualTo("no tape");
    assertThat(ScheduleLog.entries(log)).as("its entries say no time").isEmpty();

    String on = ScheduleLog.append(log, anEntry("mine", 1));
    assertThat(read(on).fieldNames()).toIterable().containsOnly("lastData", "historyDatas");
    assertThat(read(on).get("historyDatas").valueStream().map(e -> e.path("errMsg").asText("")))
        .containsExactly("", "no tape");
    assertThat(ScheduleLog.entries(on)).extracting(ScheduleLog.Entry::errMsg).containsOnly("mine");
  }

  @Test
  void deepJsonIsNoLog() {
    String deep = "{\"lastData\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";
    assertThat(read(ScheduleLog.append(deep, anEntry("mine", 1))).get("historyDatas")).isEmpty();
  }

  @Test
  void longMessageIsCutAtAThousandCharacters() {
    assertThat(messageOf("x".repeat(1_000))).hasSize(1_000);
    assertThat(messageOf("x".repeat(100_000))).hasSize(1_000);
  }

  @Test
  void cutNeverHalvesACharacter() {
    String smiley = "😀";
    assertThat(messageOf("x".repeat(999) + smiley)).isEqualTo("x".repeat(999) + smiley);
    assertThat(messageOf("x".repeat(999) + smiley + "y")).isEqualTo("x".repeat(999) + smiley);
    assertThat(messageOf(smiley.repeat(1_001))).isEqualTo(smiley.repeat(1_000));
  }

  @Test
  void anyMessageComesBackAsItWas() {
    for (String message :
        List.of(
            "\"quotes\" and \\ and \n and \u0000", "Zeilen\r\n\tend", "中文", "😀", "</script>")) {
      assertThat(messageOf(message)).isEqualTo(message);
    }
  }

  @Test
  void logHasEightKilobytesAtMostWhateverIsInIt() {
    for (String costly : List.of("\u0001", "中", "😀", "\"", "x")) {
      String log = "";
      for (int i = 0; i < 10; i++) {
        log = ScheduleLog.append(log, anEntry(costly.repeat(1_000), 1));
        assertThat(log.getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(8_192);
      }
    }
    String huge = "{\"lastData\":{\"errMsg\":\"" + "x".repeat(60_000) + "\"},\"historyDatas\":[]}";
    String log = ScheduleLog.append(huge, anEntry("x".repeat(1_000), 1));
    log = ScheduleLog.append(log, anEntry("中".repeat(1_000), 1));
    log = ScheduleLog.append(log, anEntry("中".repeat(1_000), 1));
    assertThat(log.getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(8_192);
    assertThat(read(log).get("historyDatas")).hasSize(3);
  }

  @Test
  void messagesOfTheOldestEntriesAreCutFirst() {
    String log = "";
    for (int i = 0; i < 6; i++) {
      log = ScheduleLog.append(log, anEntry("中".repeat(900), i));
    }
    assertThat(read(log).get("historyDatas").valueStream().map(e -> e.get("errMsg").asText()))
        .extracting(String::length)
        .containsExactly(100, 100, 100, 100, 900);
    assertThat(ScheduleLog.last(log).error()).hasSize(900);
  }

  @Test
  void loneSurrogateDoesNoHarm() {
    String log = ScheduleLog.append("", anEntry("a\ud83db", 1));
    assertThat(new String(log.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
        .satisfies(ScheduleLogTest::read);
  }

  private static String messageOf(String message) {
    return read(ScheduleLog.append("", anEntry(message, 1))).get("lastData").get("errMsg").asText();
  }

  private static JsonNode read(String log) {
    try {
      return JSON.readTree(log);
    } catch (JsonProcessingException e) {
      throw new AssertionError(log, e);
    }
  }

  private static ScheduleLog.Entry anEntry(String message, long costMs) {
    return new ScheduleLog.Entry(
        "trace", message, costMs, null, "first", "RETRY", "worker", 3, 1_800_000_000_000L);
  }
}
