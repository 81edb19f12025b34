package io.asyncflow.dev.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.schedule.ScheduleClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HelloScheduleTest {
  private final List<String> asked = new ArrayList<>();
  private int status = 200;
  private String answer =
      "{\"msg\":\"ok\",\"code\":0,\"result\":{\"scheduleId\":\"7\",\"outcome\":\"CREATED\"}}";
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/api/schedule/save", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void itIsSavedOnlyIfThereIsNoneOfItsName() {
    HelloSchedule.createMissing(schedules());

    assertThat(asked)
        .singleElement()
        .asString()
        .contains("\"ifVersion\":0", "\"name\":\"hello\"", "\"taskType\":\"lark\"");
  }

  @Test
  void aScheduleThatIsThereStaysAsItIs() {
    status = 409;
    answer = "{\"msg\":\"schedule hello has version 3, not 0\",\"code\":8053,\"result\":null}";

    HelloSchedule.createMissing(schedules());

    assertThat(asked).hasSize(1);
  }

  @Test
  void otherErrorsAreTold() {
    status = 400;
    answer = "{\"msg\":\"bad\",\"code\":8020,\"result\":null}";

    assertThatThrownBy(() -> HelloSchedule.createMissing(schedules()))
        .isInstanceOf(FlowException.class)
        .hasMessageContaining("bad");
  }

  private ScheduleClient schedules() {
    URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    return new HttpFlowClient(url, null).schedules();
  }

  private void answer(HttpExchange exchange) throws IOException {
    asked.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    byte[] body = answer.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
