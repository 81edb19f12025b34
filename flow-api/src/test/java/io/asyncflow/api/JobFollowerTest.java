package io.asyncflow.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class JobFollowerTest {

  private static final String NOT_FOUND =
      "{\"code\":8036,\"msg\":\"there is no job 7\",\"result\":null}";

  /** What the server answers to one request after the other; an answer for each kind of request. */
  private final Queue<String> streams = new ArrayDeque<>();

  private final Queue<String> jobs = new ArrayDeque<>();
  private final List<String> seenIds = new CopyOnWriteArrayList<>();
  private final List<Integer> told = new ArrayList<>();
  private HttpServer server;
  private HttpFlowClient client;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/api/job/progress", this::stream);
    server.createContext("/api/job/getJob", exchange -> answer(exchange, 200, jobs.remove()));
    server.start();
    client =
        new HttpFlowClient(
            URI.create("http://127.0.0.1:" + server.getAddress().getPort()), "secret");
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void anUndisturbedStreamIsToldToItsEnd() throws Exception {
    streams.add("retry: 1000\n\n" + event(1, "progress", "RUNNING", 0) + ":\n\n" + end(9, 2));
    JobProgress end = follow();
    assertThat(end.state()).isEqualTo(JobState.SUCCESS);
    assertThat(told).containsExactly(0, 2);
    assertThat(seenIds).containsExactly("none");
  }

  @Test
  void aStreamThatBreaksIsAskedForAgainFromItsLastEvent() throws Exception {
    // The second ends in the middle of an event, which is none.
    streams.add(event(4, "progress", "RUNNING", 1));
    streams.add(event(5, "progress", "RUNNING", 2) + "id: 6\nevent: end\ndata: {\"jo");
    streams.add(end(7, 3));
    jobs.add(job("RUNNING", 1));
    jobs.add(job("RUNNING", 2));
    follow();
    assertThat(seenIds).containsExactly("none", "4", "5");
    assertThat(told).containsOnlyOnce(3).endsWith(3);
  }

  @Test
  void whereNoEventsComeThroughItIsAsked() throws Exception {
    streams.add("<html>Bad gateway</html>");
    streams.add("<html>Bad gateway</html>");
    jobs.add(job("RUNNING", 1));
    jobs.add(job("SUCCESS", 3));
    JobProgress end = follow();
    assertThat(end.done()).isEqualTo(3);
    assertThat(end.percent()).isEqualTo(100);
    assertThat(told).containsExactly(1, 3);
  }

  @Test
  void whatTheServerRefusesIsThrown() {
    streams.add("404" + NOT_FOUND);
    assertThatThrownBy(this::follow)
        .isInstanceOf(FlowException.class)
        .hasMessage("there is no job 7");
  }

  @Test
  void aServerThatStaysAwayIsGivenUp() {
    server.stop(0);
    assertThatThrownBy(() -> impatient().follow("7", progress -> {}))
        .isInstanceOf(FlowUnreachableException.class)
        .hasMessageContaining("refuses the connection");
  }

  private JobFollower impatient() {
    return new JobFollower(
        client.jobs(), Duration.ZERO, Duration.ofMillis(1), new AtomicLong()::incrementAndGet);
  }

  /** As of a gateway that has no server and answers everything alike. */
  @Test
  void aPageIsNoStreamOfAServerThatLives() {
    streams.add("200<html>Back soon</html>");
    assertThatThrownBy(() -> impatient().follow("7", progress -> {}))
        .isInstanceOf(FlowUnreachableException.class)
        .hasMessageContaining("(HTTP 200) is not flowsvr");
  }

  /** While the stream is open, the server says that it lives, but no event of the job comes. */
  @Test
  void aQuietJobIsFollowedOnWhenTheServerRestarts() throws Exception {
    AtomicLong nanos = new AtomicLong();
    streams.add(end(9, 3));
    Queue<FlowException> failures = new ArrayDeque<>();
    EventStream<JobEvent> broken =
        new EventStream<JobEvent>() {
          @Override
          public JobEvent next() {
            nanos.addAndGet(Duration.ofHours(1).toNanos());
            failures.add(new FlowUnreachableException("it restarts", null));
            throw new FlowUnreachableException("the connection broke", null);
          }

          @Override
          public void close() {
            // is broken
          }
        };
    Transport restarting =
        new Transport() {
          @Override
          @SuppressWarnings("unchecked")
          public <T> T send(Call<T> call) {
            if (call.path().equals("/api/job/getJob")) {
              throw failures.remove();
            }
            return nanos.get() > 0 ? client.transport().send(call) : (T) broken;
          }
        };
    JobProgress end =
        new JobFollower(
                new JobClient(restarting), Duration.ofMinutes(1), Duration.ofMillis(1), nanos::get)
            .follow("7", progress -> {});
    assertThat(end.state()).isEqualTo(JobState.SUCCESS);
    assertThat(failures).isEmpty();
  }

  @Test
  void anInterruptEndsIt() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(this::follow).isInstanceOf(InterruptedException.class);
  }

  private JobProgress follow() throws InterruptedException {
    return new JobFollower(
            client.jobs(), Duration.ofMinutes(1), Duration.ofMillis(1), System::nanoTime)
        .follow("7", progress -> told.add(progress.done()));
  }

  private void stream(HttpExchange exchange) throws IOException {
    assertThat(exchange.getRequestHeaders().getFirst("Authorization")).isEqualTo("Bearer secret");
    String lastEventId = exchange.getRequestHeaders().getFirst("Last-Event-ID");
    seenIds.add(lastEventId == null ? "none" : lastEventId);
    String body = streams.remove();
    if (body.startsWith("404")) {
      answer(exchange, 404, body.substring(3));
    } else if (body.startsWith("200")) {
      answer(exchange, 200, body.substring(3));
    } else if (body.startsWith("<")) {
      answer(exchange, 502, body);
    } else {
      exchange.getResponseHeaders().set("Content-Type", "text/event-stream;charset=UTF-8");
      answer(exchange, 200, body);
    }
  }

  private static void answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes(UTF_8);
    exchange.getRequestBody().readAllBytes();
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private static String event(int id, String name, String state, int done) {
    return """
    id: %s
    event: %s
    data: {"jobId":"7","state":"%s","total":3,"done":%s,"failed":0,"cancelled":0,"running":0,"percent":1}

    """
        .formatted(id, name, state, done);
  }

  private static String end(int id, int done) {
    return event(id, "end", "SUCCESS", done);
  }

  private static String job(String state, int done) {
    return """
    {"code":0,"result":{"jobData":{"jobId":"7","state":"%s","total":3,"done":%s,"failed":0,
     "cancelled":0,"priority":0,"createTime":1,"modifyTime":1,"merge":true}}}
    """
        .formatted(state, done);
  }
}
