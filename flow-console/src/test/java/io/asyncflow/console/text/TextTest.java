package io.asyncflow.console.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.stats.BoundedCount;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class TextTest {

  private final Amounts en = new Amounts(Words.of(Language.EN));
  private final Amounts zh = new Amounts(Words.of(Language.ZH));

  @Test
  void durationHasTwoUnits() {
    assertThat(en.duration(812)).isEqualTo("812 ms");
    assertThat(en.duration(1_204)).isEqualTo("1.2 s");
    assertThat(en.duration(72_000)).isEqualTo("1 m 12 s");
    assertThat(en.duration(600_000)).isEqualTo("10 m");
    assertThat(en.duration(90_000_000)).isEqualTo("1 d 1 h");
    assertThat(zh.duration(72_000)).isEqualTo("1 分 12 秒");
  }

  @Test
  void whatIsSeldomIsCountedByTheMinute() {
    assertThat(en.rate(31.5)).isEqualTo("31.5/s");
    assertThat(en.rate(0.5)).isEqualTo("30.0/min");
    assertThat(zh.rate(0.05)).isEqualTo("3.0/分");
  }

  @Test
  void estimateHasTwoDigits() {
    assertThat(en.about(812)).isEqualTo("≈ 812");
    assertThat(en.about(9_812_345)).isEqualTo("≈ 9.8 M");
    assertThat(en.about(412_345)).isEqualTo("≈ 410 K");
    assertThat(zh.about(9_812_345)).isEqualTo("≈ 980 万");
  }

  @Test
  void countTellsHowExactItIs() {
    assertThat(en.count(BoundedCount.exactly(98_123))).isEqualTo("98,123");
    assertThat(en.count(BoundedCount.atLeast(1_000))).isEqualTo("≥ 1,000");
    assertThat(en.count(BoundedCount.about(9_812_345))).isEqualTo("≈ 9.8 M");
    assertThat(en.countInWords(BoundedCount.about(9_812_345))).isEqualTo("about 9.8 M");
    assertThat(zh.countInWords(BoundedCount.atLeast(1_000))).isEqualTo("至少 1,000");
  }

  @Test
  void roundCountTakesFewLetters() {
    assertThat(en.brief(1_000_000)).isEqualTo("1 M");
    assertThat(en.brief(500_000)).isEqualTo("500 K");
    assertThat(en.brief(4_000)).isEqualTo("4,000");
    assertThat(zh.brief(1_000_000)).isEqualTo("100 万");
  }

  @Test
  void lowerBoundIsNeverRoundedUp() {
    assertThat(en.count(BoundedCount.atLeast(9_899_999))).isEqualTo("≥ 9.8 M");
    assertThat(en.count(BoundedCount.atLeast(99_999))).isEqualTo("≥ 99 K");
  }

  @Test
  void partOfATimeStandsWhereThereIsNoRoomForAll() {
    Times utc = new Times(ZoneOffset.UTC);

    assertThat(utc.part(1_795_400_000_000L, "time")).isEqualTo("02:13");
    assertThat(utc.part(1_795_400_000_000L, "day")).isEqualTo("11-23");
    assertThat(utc.part(1_795_400_000_000L, "both")).isEqualTo("11-23 02:13");
  }

  @Test
  void sizeHasItsUnit() {
    assertThat(en.bytes(412)).isEqualTo("412 B");
    assertThat(en.bytes(1_900_000_000L)).isEqualTo("1.8 GB");
  }

  @Test
  void typedTimeIsReadInTheZoneInWhichTimesAreShown() {
    Times berlin = new Times(ZoneId.of("Europe/Berlin"));
    long time = berlin.parse("2026-11-24T02:30").orElseThrow();

    assertThat(berlin.field(time)).isEqualTo("2026-11-24T02:30");
    assertThat(new Times(ZoneOffset.UTC).text(time)).isEqualTo("2026-11-24 01:30:00");
    assertThat(berlin.parse("tomorrow")).isEmpty();
  }

  @Test
  void idIsCutInTheMiddleOfItsNumber() {
    assertThat(Ids.cut("249835547751612417_tts_task_1")).isEqualTo("2498…2417_tts_task_1");
    assertThat(Ids.cut("4711_tts_task_1")).isEqualTo("4711_tts_task_1");
  }

  @Test
  void unseenCharactersAreMarks() {
    assertThat(shown("\u202Egnp.exe")).isEqualTo("[U+202E]gnp.exe");
    assertThat(shown("a\u200Bb\u0000c\u2028d\uDB40\uDC41"))
        .isEqualTo("a[U+200B]b[U+0000]c[U+2028]d[U+E0041]");
    assertThat(shown("two\nlines\tand a tab")).isEqualTo("two\nlines\tand a tab");
    assertThat(shown("lone \uD800 half")).isEqualTo("lone [U+D800] half");
  }

  @Test
  void joinerBetweenPicturesStays() {
    String family = "\uD83D\uDC69\u200D\uD83D\uDC67";
    assertThat(shown(family)).isEqualTo(family);
    assertThat(shown("a\u200Db")).isEqualTo("a[U+200D]b");
  }

  private static String shown(String text) {
    return Strange.of(text).parts().stream()
        .map(part -> part.isMark() ? "[" + part.text() + "]" : part.text())
        .collect(Collectors.joining());
  }

  @Test
  void languageIsTheOneThatTheBrowserPrefers() {
    assertThat(Language.ofBrowser("zh-CN,zh;q=0.9,en;q=0.8")).isEqualTo(Language.ZH);
    assertThat(Language.ofBrowser("de,en;q=0.5")).isEqualTo(Language.EN);
    assertThat(Language.ofBrowser("\u0000;;q=x")).isEqualTo(Language.EN);
    assertThat(Language.ofBrowser(null)).isEqualTo(Language.EN);
  }
}
