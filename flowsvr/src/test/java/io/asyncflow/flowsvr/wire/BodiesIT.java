package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.KeyedServer;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.web.server.LocalServerPort;

/** How bodies are framed, byte by byte; those that hardly come are in SlowClientsIT. */
@KeyedServer
class BodiesIT {

  private static final String AUTHORIZATION = "Authorization: Bearer " + KeyedServer.KEY + "\r\n";
  private static final String BEAT =
      "POST /api/worker/heartbeat HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
  private static final String BODY = "{\"workerId\":\"w\",\"tasks\":[]}";

  @LocalServerPort int port;

  /** What is answered until the server, or the client by its last request, ends the connection. */
  private String answersTo(String requests) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(5_000);
      socket.getOutputStream().write(requests.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void connectionIsKeptAfterABodyInChunks() throws IOException {
    String chunks = Integer.toHexString(BODY.length()) + "\r\n" + BODY + "\r\n" + "0\r\n" + "\r\n";
    String beat = BEAT + AUTHORIZATION + "Transfer-Encoding: chunked\r\n";

    String answers =
        answersTo(
            beat
                + "\r\n"
                + chunks
                + beat
                + "\r\n"
                + chunks
                + beat
                + "Connection: close\r\n\r\n"
                + chunks);

    assertThat(answers.split("HTTP/1.1 200 ", -1)).hasSize(4);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1;x=y\r\n{\r\n0", "1\r\n{\r\n0\r\nX: y"})
  void chunksBringNothingBesideTheBody(String chunks) throws IOException {
    String beat = BEAT + AUTHORIZATION + "Transfer-Encoding: chunked\r\n\r\n";

    String answer = answersTo(beat + chunks + "\r\n\r\n");

    assertThat(answer).startsWith("HTTP/1.1 400 ").contains("\"code\":8021");
  }

  @Test
  void onlyTheLetInAreToldToGoAhead() throws IOException {
    String rest =
        "Expect: 100-continue\r\nConnection: close\r\nContent-Length: "
            + BODY.length()
            + "\r\n\r\n";

    assertThat(answersTo(BEAT + AUTHORIZATION + rest + BODY))
        .startsWith("HTTP/1.1 100 ")
        .contains("HTTP/1.1 200 ");
    assertThat(answersTo(BEAT + rest)).matches("(?s)HTTP/1.1 (401|429) .*");
  }

  @ParameterizedTest
  @CsvSource({
    "Content-Length: 2, 400",
    "Transfer-Encoding: chunked, 400",
    "Content-Length: 0, 200",
    "X: y, 200"
  })
  void healthTakesNoBody(String header, int status) throws IOException {
    String answer =
        answersTo(
            "GET /actuator/health/liveness HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                + header
                + "\r\n\r\n");

    assertThat(answer).startsWith("HTTP/1.1 " + status + " ");
    assertThat(answer.contains("\"code\":8020")).isEqualTo(status == 400);
  }
}
