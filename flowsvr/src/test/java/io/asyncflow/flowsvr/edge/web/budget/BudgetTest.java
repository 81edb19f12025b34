package io.asyncflow.flowsvr.edge.web.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.authentication.TestingAuthenticationToken;

class BudgetTest {

  private static Exchange of(String key) {
    Exchange exchange = Exchange.of(new MockHttpServletRequest());
    exchange.isOf(key == null ? null : new TestingAuthenticationToken(key, key));
    return exchange;
  }

  private static Exchange ofTheServersKey() {
    Exchange exchange = Exchange.of(new MockHttpServletRequest());
    exchange.isOf(new TestingAuthenticationToken("env:FLOW_API_KEY", null));
    return exchange;
  }

  @Test
  void keyHasHalfAndAllTogetherTheWhole() {
    Budget budget = new Budget("bytes", 100);

    assertThat(of("one").tryTake(budget, 51)).isFalse();
    assertThat(of("one").tryTake(budget, 50)).isTrue();
    assertThat(of("one").tryTake(budget, 1)).isFalse();
    assertThat(of("two").tryTake(budget, 50)).isTrue();
    assertThat(of("three").tryTake(budget, 1)).isFalse();
  }

  @Test
  void requestsWithoutAKeyHaveATenthTogether() {
    Budget budget = new Budget("threads", 100);

    assertThat(of(null).tryTake(budget, 10)).isTrue();
    assertThat(of(null).tryTake(budget, 1)).isFalse();
  }

  @Test
  void keyOfTheServerMayBeThatOfAllCallers() {
    Budget budget = new Budget("threads", 100);

    assertThat(ofTheServersKey().tryTake(budget, 100)).isTrue();
  }

  @Test
  void whatIsTakenIsGivenBackAtTheEndOnce() {
    Budget budget = new Budget("threads", 2);
    Exchange first = of("one");
    first.take(budget, 1);
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> of("one").take(budget, 1))
        .matches(e -> e.errorCode() == ErrorCode.LIMIT_EXCEEDED);

    first.leave();
    first.leave();

    of("one").take(budget, 1);
    assertThat(of("one").tryTake(budget, 1)).isFalse();
  }
}
