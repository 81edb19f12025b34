package io.asyncflow.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OneLineTest {

  @Test
  void breaksAndTabsAreSpacesAndCommandsToATerminalAreSeen() {
    assertThat(OneLine.of("a\r\nb\tc")).isEqualTo("a  b c");
    assertThat(OneLine.of("\u001b[31mred\u0007")).isEqualTo("\uFFFD[31mred\uFFFD");
  }

  @ParameterizedTest
  @ValueSource(
      chars = {'\0', '\b', '\f', '\u007f', '\u0085', '\u009b', '\u2028', '\u2029', '\u202e'})
  void nothingThatIsNotShownPasses(char hostile) {
    assertThat(OneLine.of("a" + hostile + "b")).hasSize(3).doesNotContain("" + hostile);
  }

  @Test
  void allElseStaysAsItIs() {
    String text = "Ünïcode, 你好, \uD83D\uDC68\u200D\uD83D\uDCBB, \\n, \u00a0";
    assertThat(OneLine.of(text)).isEqualTo(text);
    assertThat(OneLine.of(null)).isNull();
  }
}
