package io.asyncflow.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ErrorCodeTest {

  @ParameterizedTest
  @EnumSource
  void codeIsToldByItsNumberAndStatus(ErrorCode code) {
    assertThat(ErrorCode.of(code.code(), code.httpStatus())).isEqualTo(code);
  }

  /** As for one report of many, which has no status of its own: not what is worth repeating. */
  @ParameterizedTest
  @CsvSource({"8021, MALFORMED_BODY", "8070, NOT_PERMITTED", "8050, LEASE_LOST", "9999, INTERNAL"})
  void numberAloneIsTheCodeThatIsFinal(int number, ErrorCode code) {
    assertThat(ErrorCode.of(number, 0)).isEqualTo(code);
  }
}
