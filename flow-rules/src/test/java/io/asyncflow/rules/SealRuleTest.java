package io.asyncflow.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.NullAndEmptySource;

class SealRuleTest {

  private static final String SEALED = "{\"$sealed\":\"tink1\",\"key\":1,\"data\":\"QUJD\"}";
  private static final String STORED =
      "{\"$stored\":\"7_lark_task_1/render/2/_context\",\"bytes\":5000}";

  @Test
  void theSettingNamesTheRule() {
    assertThat(SealRule.of(1)).isEqualTo(SealRule.REQUIRED);
    assertThat(SealRule.of(0)).isEqualTo(SealRule.ANY);
    assertThat(SealRule.of(-1)).isEqualTo(SealRule.FORBIDDEN);
  }

  @Test
  void aTextIsSealedOrPlain() {
    assertThat(SealRule.ANY.allows(SEALED) && SealRule.ANY.allows("plain")).isTrue();
    assertThat(SealRule.REQUIRED.allows(SEALED)).isTrue();
    assertThat(SealRule.REQUIRED.allows("plain")).isFalse();
    assertThat(SealRule.FORBIDDEN.allows(SEALED)).isFalse();
    assertThat(SealRule.FORBIDDEN.allows("plain")).isTrue();
  }

  @ParameterizedTest
  @NullAndEmptySource
  void anEmptyTextIsNeither(String empty) {
    assertThat(SealRule.REQUIRED.allows(empty)).isTrue();
    assertThat(SealRule.FORBIDDEN.allows(empty)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(SealRule.class)
  void aStoredTextWasJudgedWhenItWasStored(SealRule rule) {
    assertThat(rule.allows(STORED)).isTrue();
  }

  @Test
  void aTextThatOnlyLooksStoredIsPlain() {
    assertThat(SealRule.REQUIRED.allows("{\"$stored\":\"x\",\"secret\":1}")).isFalse();
  }

  @Test
  void theRefusalNamesTheFieldAndTheDemand() {
    assertThatThrownBy(() -> SealRule.REQUIRED.check("lark", "plain", "taskContext"))
        .isInstanceOfSatisfying(
            FlowException.class, e -> assertThat(e.errorCode()).isEqualTo(ErrorCode.SEALING_RULE))
        .hasMessageContaining("taskContext must be sealed")
        .hasMessageContaining("lark");
  }
}
