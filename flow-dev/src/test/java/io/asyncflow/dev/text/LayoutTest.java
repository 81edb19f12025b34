package io.asyncflow.dev.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LayoutTest {

  @ParameterizedTest
  @CsvSource({
    "ada, 3",
    "日本語, 6",
    "한국, 4",
    "ｱｲｳ, 3",
    "ＡＢ, 4",
    "e\u0301, 1",
    "か\u3099, 2",
    "😀, 2",
    "𠮷, 2",
    "Ω€→, 3",
    "a\u200Bb, 2"
  })
  void aTextIsAsWideAsATerminalShowsIt(String text, int columns) {
    assertThat(Columns.of(text)).isEqualTo(columns);
  }

  @Test
  void columnsBeginWhereTheTerminalShowsThem() {
    Layout<List<String>> layout =
        new Layout<List<String>>()
            .value("user", row -> row.get(0))
            .value("state", row -> row.get(1));
    List<List<String>> rows = List.of(List.of("日本語 ユーザー", "1"), List.of("ada", "2"));
    assertThat(layout.table(rows, new TimeText(ZoneOffset.UTC)))
        .containsExactly("user             state", "日本語 ユーザー  1", "ada              2");
  }
}
