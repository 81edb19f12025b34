package io.asyncflow.flowsvr.operate.search.words;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.operate.search.words.SearchWords.Word;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SearchWordsTest {

  /** 2026-11-20T12:00:00Z. */
  private static final long NOON = 1_795_176_000_000L;

  private static final long DAY = 86_400_000;

  @Test
  void wordsOfOneNameAreAlternatives() {
    TaskFilter filter = filter("type:tts type:lark,Other status:failed,waiting");

    assertThat(filter.types())
        .containsExactly(new TaskType("tts"), new TaskType("lark"), new TaskType("other"));
    assertThat(filter.statuses()).containsExactly(TaskStatus.FAILED, TaskStatus.WAITING);
  }

  @Test
  void quotesKeepSpacesCommasAndOperators() {
    TaskFilter filter = filter("stage:\"a, b\",c user:\"x:y \\\"z\\\" \\\\ \\n\"");

    assertThat(filter.stages()).containsExactly("a, b", "c");
    assertThat(filter.users()).containsExactly("x:y \"z\" \\ \\n");
  }

  @Test
  void aWordAloneIsAnIdOrAText() {
    TaskFilter filter = filter("24980048_tts_task_1 tape, \"no : tape\"");

    assertThat(filter.ids().toString()).isEqualTo("[24980048_tts_task_1]");
    assertThat(filter.texts()).containsExactly("tape,", "no : tape");
  }

  @Test
  void workersMayBeBeginnings() {
    TaskFilter filter = filter("worker:gpu-1*,cpu");

    assertThat(filter.workers().contains("gpu-12")).isTrue();
    assertThat(filter.workers().contains("cpu")).isTrue();
    assertThat(filter.workers().contains("cpu2")).isFalse();
    assertThat(filter("").workers().isAll()).isTrue();
  }

  @Test
  void ageLooksBackAndDueLooksAhead() {
    assertThat(filter("age>10m").created()).isEqualTo(Span.before(NOON - 600_000));
    assertThat(filter("age<1h age>10m").created())
        .isEqualTo(new Span(NOON - 3_600_000 + 1, NOON - 600_000));
    assertThat(filter("due<1h").due()).isEqualTo(Span.before(NOON + 3_600_000));
    assertThat(filter("due>1d").due()).isEqualTo(Span.from(NOON + DAY + 1));
    assertThat(filter("due<-5s").due()).isEqualTo(Span.before(NOON - 5_000));
  }

  @ParameterizedTest
  @CsvSource({
    "created:2026-11-20, 1795132800000, 1795219200000",
    "created:2026-11-20..2026-11-21, 1795132800000, 1795305600000",
    "created:2026-11-20T12:00, 1795176000000, 1795176060000",
    "created:2026-11-20T12:00:30Z, 1795176030000, 1795176031000",
    "created:1795176000000..1795176000005, 1795176000000, 1795176000006",
    "created:..2026-11-20, -9223372036854775808, 1795219200000",
    "created:2026-11-20.., 1795132800000, 9223372036854775807",
  })
  void timesAreDaysMinutesSecondsAndStretches(String q, long from, long to) {
    assertThat(filter(q).created()).isEqualTo(new Span(from, to));
  }

  @Test
  void retriesHaveBounds() {
    TaskFilter filter = filter("retries>2 retries<5");

    assertThat(filter.retriesAbove()).isEqualTo(2);
    assertThat(filter.retriesBelow()).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"error:tape", "verdict:poison", "fingerprint:12", "failed:2026-11-20", "foo:1"})
  void anUnknownWordIsNamedWithTheOnesThereAre(String q) {
    assertThat(errors(q))
        .singleElement()
        .asString()
        .startsWith("the word '" + q.substring(0, q.indexOf(':')) + "' is not known; known are")
        .contains("age, created, due, id, job, retries, stage, status, text, type, user, worker");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "type:",
        "type:,",
        "type:a,",
        "type:\"",
        "type:\"a\"b",
        "type:a\"b\"",
        "status:lost",
        "status:2",
        "age:10m",
        "age>10",
        "age>1y",
        "age>10m age>5m",
        "due>soon",
        "retries:2",
        "retries>-1",
        "retries>9999999999",
        "retries>2 retries>3",
        "created:yesterday",
        "created:2026-02-30",
        "created:..",
        "created:2026-11-20 created:2026-11-21",
        "created:2026-11-20,2026-11-21",
        "job:x",
        "job:1,2",
        "job:1 job:2",
        "job:0",
        "id:x",
        "id:1_a_task_0",
        "worker:*",
        "worker:a*b",
        "worker:**",
        "\"open",
        "text:\"\"",
        "created:9999999999999999",
        "stage:\"\"",
      })
  void whatIsWrongIsSaid(String q) {
    assertThat(errors(q)).as(q).isNotEmpty();
  }

  @Test
  void twoHundredHostileTextsAreReadOrRefused() {
    List<String> pieces =
        List.of(
            "type:",
            "status:",
            "\"",
            "\\",
            ",",
            ":",
            "<",
            ">",
            "..",
            "*",
            "' OR 1=1 --",
            "%",
            "_",
            "\u0000",
            "\u202e",
            "\ud83d\ude00",
            "\ud83d",
            "\u2028",
            "age>",
            "due<",
            "created:",
            "999999999999999999999",
            "-1",
            "NaN",
            "${jndi:ldap://x}",
            "<script>",
            "(((((",
            "a".repeat(300),
            "id:1_x_task_1",
            "job:",
            "2026-13-99",
            "2026-11-20T25:61",
            " ",
            "\t",
            "\n",
            "é",
            "名",
            "%s",
            "{{7*7}}",
            "#{x}",
            "retries>",
            "worker:",
            "text:",
            "0x10",
            "1e9",
            "..2026-11-20..");
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      StringBuilder q = new StringBuilder();
      for (int i = random.nextInt(12); i >= 0; i--) {
        q.append(pieces.get(random.nextInt(pieces.size())));
      }
      assertThatCode(() -> errors(q.toString())).as(q.toString()).doesNotThrowAnyException();
    }
  }

  @Test
  void valuesAndWordsAreLimited() {
    List<String> many = new ArrayList<>();
    for (int i = 0; i <= SearchTerms.MOST_VALUES; i++) {
      many.add("s" + i);
    }
    assertThat(errors("stage:" + String.join(",", many))).isNotEmpty();
    assertThat(errors("a ".repeat(SearchWords.MOST + 1))).isNotEmpty();
    assertThat(errors("text:" + "x".repeat(201))).isNotEmpty();
  }

  @Test
  void nothingFitsAll() {
    TaskFilter filter = filter("  ");

    assertThat(filter.types()).isEqualTo(Set.of());
    assertThat(filter.created()).isEqualTo(Span.ALWAYS);
    assertThat(filter.jobId()).isNull();
  }

  private static TaskFilter filter(String q) {
    assertThat(errors(q)).isEmpty();
    SearchTerms terms = new SearchTerms(NOON);
    SearchWords.parse(q).words().forEach(terms::add);
    return terms.filter();
  }

  private static List<String> errors(String q) {
    SearchTerms terms = new SearchTerms(NOON);
    SearchWords.Parsed parsed = SearchWords.parse(q);
    List<String> errors = new ArrayList<>(parsed.errors());
    for (Word word : parsed.words()) {
      String error = terms.add(word);
      if (error != null) {
        errors.add(error);
      }
    }
    terms.filter();
    return errors;
  }
}
