package io.asyncflow.flowsvr.edge.access.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.edge.web.budget.Exchange;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.web.method.HandlerMethod;

class ListsAtOnceTest {

  private static final long MIB = 1024 * 1024;

  private final HandlerMethod list = method("list");
  private final HandlerMethod other = method("other");

  @Takes(summary = "Lists", list = true)
  public void list() {
    // stands for a controller's
  }

  @Takes(summary = "Does something else")
  public void other() {
    // stands for a controller's
  }

  @Test
  void heapHasRoomForSoManyLists() {
    CallGate lists = gate(null, 256 * MIB);
    for (int i = 0; i < 4; i++) {
      begin(lists, list);
    }

    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> begin(lists, list))
        .matches(e -> e.errorCode() == ErrorCode.LIMIT_EXCEEDED);
    begin(lists, other); // takes none
  }

  @Test
  void smallHeapLetsTwoListsBeMade() {
    CallGate lists = gate(null, MIB);
    begin(lists, list);
    begin(lists, list);

    assertThatExceptionOfType(FlowException.class).isThrownBy(() -> begin(lists, list));
  }

  @Test
  void settingWins() {
    CallGate lists = gate(1, 256 * MIB);
    begin(lists, list);

    assertThatExceptionOfType(FlowException.class).isThrownBy(() -> begin(lists, list));
  }

  @Test
  void listThatEndsGivesItsShareBack() {
    CallGate lists = gate(1, MIB);
    MockHttpServletRequest request = begin(lists, list);

    Exchange.of(request).leave();
    begin(lists, list);
    assertThatExceptionOfType(FlowException.class).isThrownBy(() -> begin(lists, list));
  }

  private static CallGate gate(Integer set, long heap) {
    return new CallGate(null, null, set, heap);
  }

  private static MockHttpServletRequest begin(CallGate lists, HandlerMethod method) {
    MockHttpServletRequest request = requestOfTheServersKey();
    assertThat(lists.takeList(request, method))
        .isEqualTo(method.getMethod().getName().equals("list"));
    return request;
  }

  private static MockHttpServletRequest requestOfTheServersKey() {
    MockHttpServletRequest request = new MockHttpServletRequest();
    Exchange.of(request).isOf(new TestingAuthenticationToken("env:FLOW_API_KEY", null));
    return request;
  }

  private HandlerMethod method(String name) {
    try {
      return new HandlerMethod(this, name);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException(e);
    }
  }
}
