package io.asyncflow.flowsvr.compose.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.rules.TaskType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Server-sent events of jobs, as a browser gets them. */
@RunningServer
@Tag("contract")
@Timeout(120)
class JobProgressIT {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @LocalServerPort int port;
  private Jobs jobs;
  private TaskType book;

  @BeforeEach
  void aType() {
    jobs = new Jobs(port);
    book = given.aType().with("max_processing_time", 600).with("lease_seconds", 600).create();
  }

  /** One event; its data is JSON. */
  private record Event(String name, String id, JsonNode data) {

    int number(String field) {
      return data.path(field).asInt(-1);
    }
  }

  /** A stream of events that is read as far as a test wants. */
  private static final class Stream implements AutoCloseable {

    private final HttpResponse<InputStream> response;
    private final BufferedReader lines;

    Stream(HttpResponse<InputStream> response) {
      this.response = response;
      this.lines =
          new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    /** The next one; {@code null} at the end of the stream. */
    Event next() throws IOException {
      Map<String, String> fields = new HashMap<>();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.isEmpty() && fields.containsKey("data")) {
          return new Event(
              fields.get("event"), fields.get("id"), JSON.readTree(fields.get("data")));
        }
        int colon = line.indexOf(": ");
        if (colon > 0) {
          fields.put(line.substring(0, colon), line.substring(colon + 2));
        }
      }
      return null;
    }

    Event until(Predicate<Event> wanted) throws IOException {
      Event event = next();
      while (event != null && !wanted.test(event)) {
        event = next();
      }
      return event;
    }

    @Override
    public void close() throws IOException {
      response.body().close();
    }
  }

  private Stream listen(String id, String... headers) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + port + "/api/job/progress?jobId=" + id));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return new Stream(
        HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofInputStream()));
  }

  private JsonNode getJob(String id) throws IOException, InterruptedException {
    URI address = URI.create("http://127.0.0.1:" + port + "/api/job/getJob?jobId=" + id);
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
    return JSON.readTree(answer.body()).path("result");
  }

  @Test
  void tellsWhereItStandsThenWhatIsNewThenTheEnd() throws Exception {
    String id = jobs.create(book);
    try (Stream stream = listen(id)) {
      assertThat(stream.response.headers().firstValue("Content-Type"))
          .hasValueSatisfying(type -> assertThat(type).startsWith("text/event-stream"));
      Event first = stream.next();
      assertThat(first.name()).isEqualTo("progress");
      assertThat(first.data().path("state").asString()).isEqualTo("SPLITTING");
      assertThat(first.data().has("total")).isFalse();
      assertThat(getJob(id).has("rate")).isFalse();

      Task split = jobs.hold(book.name(), "split");
      jobs.stage(split, 0, 2);
      jobs.success(split, null);
      assertThat(stream.until(e -> e.number("total") == 2).number("done")).isZero();

      Task child = jobs.hold(book.name(), "child");
      jobs.client.heartbeat(
          new Heartbeat(
              Jobs.WORKER, List.of(new HeldTask(child.taskId(), child.leaseEpoch(), 50))));
      Event half = stream.until(e -> e.number("percent") == 25);
      assertThat(half.number("running")).isEqualTo(1);

      jobs.success(child, "[0]");
      Event one = stream.until(e -> e.number("done") == 1);
      assertThat(one.data().path("rate").asDouble()).isPositive();
      assertThat(one.data().path("estimatedEnd").asLong()).isPositive();
      JsonNode read = getJob(id);
      assertThat(read.path("rate").asDouble()).isPositive();
      assertThat(read.path("estimatedEnd").asLong()).isPositive();
      jobs.success(jobs.hold(book.name(), "child"), "[1]");
      jobs.success(jobs.hold(book.name(), "merge"), "whole");

      Event end = stream.until(e -> e.name().equals("end"));
      assertThat(end.data().path("state").asString()).isEqualTo("SUCCESS");
      assertThat(end.number("percent")).isEqualTo(100);
      assertThat(stream.next()).isNull();

      try (Stream again = listen(id)) {
        assertThat(again.next().name()).isEqualTo("end");
        assertThat(again.next()).isNull();
      }
      try (Stream seen = listen(id, "Last-Event-ID", end.id())) {
        assertThat(seen.response.statusCode()).isEqualTo(204);
      }
    }
  }

  @Test
  void streamThatIsCutIsResumedAndSeesTheEnd() throws Exception {
    String id = jobs.running(NewJob.of(book.name(), "ann", "text"), 2);
    String last;
    try (Stream stream = listen(id)) {
      last = stream.next().id();
    }
    jobs.report(jobs.hold(book.name(), "child", 1), Jobs::done);
    try (Stream stream = listen(id, "Last-Event-ID", last)) {
      Event event = stream.until(e -> e.number("done") == 1);
      assertThat(event).isNotNull();
    }
    jobs.jobs.cancelJob(id);
    jobs.awaitState(id, JobState.CANCELLED);
    try (Stream stream = listen(id, "Last-Event-ID", last)) {
      Event end = stream.next();
      assertThat(end.name()).isEqualTo("end");
      assertThat(end.number("cancelled")).isEqualTo(1);
    }
  }

  /** As when another server took the reports, and there is no Redis to say so. */
  @Test
  void changeThatNobodyToldOfIsSeenAllTheSame() throws Exception {
    String id = jobs.running(NewJob.of(book.name(), "ann", "text"), 5);
    try (Stream stream = listen(id)) {
      assertThat(stream.next().number("done")).isZero();
      jdbc.sql("UPDATE t_job SET done = 3, version = version + 1 WHERE id = " + id).update();
      assertThat(stream.until(e -> e.number("done") == 3)).isNotNull();
      jdbc.sql("UPDATE t_job SET state = 'FAILED', version = version + 1 WHERE id = " + id)
          .update();
      assertThat(stream.until(e -> e.name().equals("end"))).isNotNull();
      assertThat(stream.next()).isNull();
    }
  }

  @Test
  void unknownJobIsRefusedAsEverywhere() throws Exception {
    try (Stream stream = listen("17")) {
      assertThat(stream.response.statusCode()).isEqualTo(404);
      assertThat(JSON.readTree(stream.response.body()).path("code").asInt()).isEqualTo(8036);
    }
    try (Stream stream = listen("one")) {
      assertThat(stream.response.statusCode()).isEqualTo(400);
    }
  }
}
