package io.asyncflow.flowsvr.compose.job;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.compose.job.progress.ProgressFeed;
import io.asyncflow.flowsvr.edge.web.load.OpenCalls;
import io.asyncflow.flowsvr.edge.web.load.WaitingLimits;
import io.asyncflow.flowsvr.edge.web.stream.StreamOpener;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a stream that does not come about takes of its address's share, which is one. */
class ProgressControllerTest {

  private static final Error NO_MEMORY = new OutOfMemoryError("as some day");

  private final ProgressFeed watch = mock();
  private final HttpServletRequest request = mock();
  private final HttpServletResponse response = mock();
  private final ServletOutputStream out = mock();
  private final AsyncContext async = mock();
  private final ProgressController controller =
      new ProgressController(
          mock(), watch, new StreamOpener(WaitingLimits.ofEach(1), new OpenCalls(), new Node()));

  @BeforeEach
  void aRequest() throws IOException {
    when(request.getRemoteAddr()).thenReturn("address");
    when(request.startAsync()).thenReturn(async);
    when(response.getOutputStream()).thenReturn(out);
  }

  @Test
  void streamThatCannotBeMadeTakesNoShare() {
    when(request.startAsync()).thenThrow(NO_MEMORY);

    for (int stream = 0; stream < 2; stream++) {
      assertThatThrownBy(() -> controller.listen(1, request, response)).isSameAs(NO_MEMORY);
    }
  }

  @Test
  void streamThatIsNotWatchedTakesNoShareAndEnds() {
    doThrow(NO_MEMORY).when(watch).add(anyLong(), any());

    for (int stream = 0; stream < 2; stream++) {
      assertThatThrownBy(() -> controller.listen(1, request, response)).isSameAs(NO_MEMORY);
    }
    verify(async, times(2)).complete();
    verify(watch, times(2)).remove(anyLong(), any());
  }
}
