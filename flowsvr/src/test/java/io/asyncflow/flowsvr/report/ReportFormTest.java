package io.asyncflow.flowsvr.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReportFormTest {

  @Test
  void messageIsCutAtAThousandCharacters() {
    assertThat(ReportForm.cut("x".repeat(1_000))).hasSize(1_000);
    assertThat(ReportForm.cut("x".repeat(1_001))).hasSize(1_000);
    assertThat(ReportForm.cut("")).isEmpty();
  }

  @Test
  void cutSplitsNoCharacter() {
    String cut = ReportForm.cut("😀".repeat(1_500));

    assertThat(cut.codePointCount(0, cut.length())).isEqualTo(1_000);
    assertThat(cut).endsWith("😀");
  }
}
