package io.asyncflow.flowsvr.edge.web.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.CALLS_REAL_METHODS;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import org.apache.coyote.Processor;
import org.apache.coyote.Request;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class ExchangeTest {

  private static final int PATIENCE = 10_000;
  private static final int KEEP_ALIVE = 75_000;

  private final Processor processor = mock();
  private final SocketWrapperBase<?> connection = mock(SocketWrapperBase.class, CALLS_REAL_METHODS);
  private Exchange exchange;

  @BeforeEach
  void begin() {
    when(processor.getRequest()).thenReturn(new Request());
    exchange = new Exchange(processor, PATIENCE);
    exchange.enter(connection);
    exchange.begin(new MockHttpServletRequest(), new MockHttpServletResponse(), new Threads(100));
  }

  @Test
  void connectionThatHadAPlaceWaitsForItsNextRequestAsLongAsTomcatSays() {
    assertThat(exchange.mayWait()).isTrue();
    connection.setReadTimeout(KEEP_ALIVE); // as Tomcat does after the answer

    exchange.leave();

    assertThat(connection.getReadTimeout()).isEqualTo(KEEP_ALIVE);
    assertThat(connection.getWriteTimeout()).isEqualTo(PATIENCE);
  }

  @Test
  void momentOfAnExchangeEndsWithIt() {
    assertThat(connection.getReadTimeout()).isLessThan(PATIENCE);
    assertThat(connection.getWriteTimeout()).isLessThan(PATIENCE);

    exchange.leave();

    assertThat(connection.getReadTimeout()).isEqualTo(PATIENCE);
    assertThat(connection.getWriteTimeout()).isEqualTo(PATIENCE);
  }
}
