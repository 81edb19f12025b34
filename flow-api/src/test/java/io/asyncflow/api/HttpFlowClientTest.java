package io.asyncflow.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpFlowClientTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "foo",
        "localhost:8081",
        "//localhost:8081",
        "ftp://localhost",
        "http://",
        "http:///path",
        "http://under_score:8081",
        "http://localhost:99999",
        "http://local host",
        "http://localhost?key=1",
        "http://localhost/#top"
      })
  void aUrlThatNoRequestCanBeMadeOfIsRefusedInOneSentence(String url) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HttpFlowClient.parseUrl(url))
        .withMessage(
            "an http or https URL with a host, such as http://127.0.0.1:8081, and not '%s'", url);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://localhost",
        "HTTPS://flow.example.org",
        "http://[::1]:8081",
        "http://10.0.0.1:8081/behind/a/proxy"
      })
  void anyOtherIsTakenAsItIs(String url) {
    assertThat(HttpFlowClient.parseUrl(url)).isEqualTo(URI.create(url));
    assertThat(HttpFlowClient.parseUrl(url + "/")).isEqualTo(URI.create(url));
  }

  @Test
  void aRefusedUrlDoesNotTellItsPassword() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HttpFlowClient.parseUrl("ftp://me:secret@localhost"))
        .withMessageContaining("localhost")
        .withMessageNotContaining("secret");
  }

  @Test
  void aKeyThatNoHeaderCanCarryIsRefusedUntold() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new HttpFlowClient(URI.create("http://localhost"), "secret\n"))
        .withMessageNotContaining("secret");
  }

  @Test
  void whyThereIsNoAnswerIsSaidInWords() {
    assertThatExceptionOfType(FlowUnreachableException.class)
        .isThrownBy(new HttpFlowClient(URI.create("http://127.0.0.1:1"), null)::taskTypes)
        .withMessage(
            "flowsvr at http://127.0.0.1:1 gave no answer to /api/task_schedule_cfg/list:"
                + " the connection was refused");
    assertThatExceptionOfType(FlowUnreachableException.class)
        .isThrownBy(new HttpFlowClient(URI.create("http://nowhere.invalid"), null)::taskTypes)
        .withMessageEndingWith("its host is unknown");
  }

  @Test
  @Timeout(20)
  void anAnswerThatStopsMidwayIsGivenUpInTime() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread halfAnswer = new Thread(() -> answerHalf(server));
      halfAnswer.setDaemon(true);
      halfAnswer.start();
      HttpFlowClient client =
          new HttpFlowClient(
              URI.create("http://127.0.0.1:" + server.getLocalPort()),
              null,
              Duration.ofMillis(300));
      assertThatExceptionOfType(FlowUnreachableException.class)
          .isThrownBy(client::taskTypes)
          .withMessageEndingWith("not within 300 ms");
    }
  }

  private static void answerHalf(ServerSocket server) {
    try (Socket socket = server.accept()) {
      socket.getInputStream().read(new byte[1_000]);
      socket
          .getOutputStream()
          .write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"code\":".getBytes(US_ASCII));
      socket.getInputStream().readAllBytes(); // until the other end is closed
    } catch (IOException e) {
      // the client went away, as it should
    }
  }
}
