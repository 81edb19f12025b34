package io.asyncflow.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DueTimeTest {

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "no priority, due at once                    | 100000 |    0 | 100000 | 100000",
        "no priority, due before its create          |  50000 |    0 | 100000 |  50000",
        "no priority, due later                      | 160000 |    0 | 100000 | 160000",
        "a head start from the create on             |  40000 |   60 | 100000 | 100000",
        "a priority that was given while it waited   |  40000 |   60 | 200000 | 100000",
        "a retry later, whose delay has no head start| 130000 |   60 | 100000 | 130000",
        "a retry later, in the past                  |  90000 |   60 |  80000 |  90000",
        "behind others by a negative priority        | 160000 |  -60 | 100000 | 160000"
      })
  void headStartIsNoWait(
      String what, long orderTime, int priority, long modifyTime, long dueSince) {
    assertThat(DueTime.of(orderTime, priority, modifyTime)).as(what).isEqualTo(dueSince);
  }
}
