package io.asyncflow.bench.flow;

import io.asyncflow.bench.bed.FlowBed;
import io.asyncflow.bench.contest.Contender;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;

/** Requests of one kind over HTTP, one after the other. */
public final class Requests implements Contender<Histogram> {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final String name;
  private final IntFunction<HttpRequest> next;
  private final HttpClient http = HttpClient.newHttpClient();
  private int made;

  /**
   * @param next makes a request of its number, which is 0 at first and never comes again
   */
  public Requests(String name, IntFunction<HttpRequest> next) {
    this.name = name;
    this.next = next;
  }

  /**
   * The same call again and again.
   *
   * @param query as {@code getTaskList?taskType=lark}
   */
  public static Requests ofTaskCall(FlowBed bed, String query) {
    HttpRequest request = to(bed, "/api/task/" + query).build();
    return new Requests(query, number -> request);
  }

  /** A request to a server. */
  public static HttpRequest.Builder to(FlowBed bed, String path) {
    return HttpRequest.newBuilder(bed.url().resolve(path)).timeout(PATIENCE);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Histogram run(int requests) throws IOException, InterruptedException {
    Histogram latencies = new Histogram(3);
    for (int i = 0; i < requests; i++) {
      HttpRequest request = next.apply(made++);
      long start = System.nanoTime();
      HttpResponse<byte[]> answer = http.send(request, BodyHandlers.ofByteArray());
      latencies.recordValue((System.nanoTime() - start) / 1000);
      if (answer.statusCode() != 200) {
        throw new IllegalStateException(
            request.uri()
                + " was answered with "
                + answer.statusCode()
                + ": "
                + new String(answer.body(), StandardCharsets.UTF_8));
      }
    }
    return latencies;
  }
}
