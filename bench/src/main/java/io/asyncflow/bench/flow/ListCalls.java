package io.asyncflow.bench.flow;

import io.asyncflow.bench.bed.TestBed;
import io.asyncflow.bench.contest.Contender;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.HdrHistogram.Histogram;

/** A list over REST, again and again. */
public final class ListCalls implements Contender<Histogram> {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final String query;
  private final HttpClient http = HttpClient.newHttpClient();
  private final HttpRequest request;

  /**
   * @param query as {@code getTaskList?taskType=lark}
   */
  public ListCalls(TestBed bed, String query) {
    this.query = query;
    this.request =
        HttpRequest.newBuilder(bed.url().resolve("/api/task/" + query)).timeout(PATIENCE).build();
  }

  @Override
  public String name() {
    return query;
  }

  @Override
  public Histogram run(int calls) throws IOException, InterruptedException {
    Histogram latencies = new Histogram(3);
    for (int i = 0; i < calls; i++) {
      long start = System.nanoTime();
      HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
      latencies.recordValue((System.nanoTime() - start) / 1000);
      if (answer.statusCode() != 200) {
        throw new IllegalStateException(query + " was answered with " + answer.body());
      }
    }
    return latencies;
  }
}
