package io.asyncflow.rules.field;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReportFieldsTest {

  @Test
  void messageIsCutAtAThousandCharacters() {
    assertThat(ReportFields.cut("x".repeat(1_000))).hasSize(1_000);
    assertThat(ReportFields.cut("x".repeat(1_001))).hasSize(1_000);
    assertThat(ReportFields.cut("")).isEmpty();
  }

  @Test
  void cutSplitsNoCharacter() {
    String cut = ReportFields.cut("😀".repeat(1_500));

    assertThat(cut.codePointCount(0, cut.length())).isEqualTo(1_000);
    assertThat(cut).endsWith("😀");
  }
}
