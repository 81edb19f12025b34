package io.asyncflow.bench.console;

import io.asyncflow.bench.measure.Latency;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Pages that are open and ask for news as the script of the console does: with the ETag of what
 * they show, and the next time so long after the answer. One after the other is opened.
 */
public final class OpenPages implements Company {

  private static final int THREADS = 8;
  private static final int UNCHANGED = 304;
  private static final int BUSY = 429;
  private static final long STOP_PATIENCE_SECONDS = 30;

  private final Sights sights;
  private final String name;
  private final List<String> addresses;
  private final Duration every;
  private final HttpClient http = HttpClient.newHttpClient();
  private final Histogram looks = new Histogram(3);
  private final Map<Integer, Integer> answers = new TreeMap<>();

  /**
   * @param addresses one for each page
   * @param every from an answer to the next question
   */
  public OpenPages(Sights sights, String name, List<String> addresses, Duration every) {
    this.sights = sights;
    this.name = name;
    this.addresses = addresses;
    this.every = every;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public synchronized String seen() {
    return String.format(
        Locale.ROOT,
        "each asks %d s after an answer; %,d answers with p50 %.1f, p95 %.1f, p99 %.1f ms; by"
            + " status: %s",
        every.toSeconds(),
        looks.getTotalCount(),
        Latency.percentile(looks, 50),
        Latency.percentile(looks, 95),
        Latency.percentile(looks, 99),
        answers);
  }

  private synchronized void note(long nanos, int status) {
    looks.recordValue(nanos / 1000);
    answers.merge(status, 1, Integer::sum);
  }

  /** One of them. */
  private final class OpenPage {
    private final String address;
    private String etag = "";

    private OpenPage(String address) {
      this.address = address;
    }

    private void look() {
      HttpRequest.Builder request = sights.pageOf(address).header("X-Asyncflow-Live", "1");
      if (!etag.isEmpty()) {
        request.header("If-None-Match", etag);
      }
      try {
        long begin = System.nanoTime();
        HttpResponse<byte[]> answer = http.send(request.build(), BodyHandlers.ofByteArray());
        note(System.nanoTime() - begin, answer.statusCode());
        switch (answer.statusCode()) {
          case 200 -> etag = answer.headers().firstValue("ETag").orElse("");
          case UNCHANGED, BUSY -> {
            // it asks again
          }
          default ->
              throw new IllegalStateException(
                  address + " was answered with " + answer.statusCode());
        }
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Override
  public AutoCloseable begin() {
    ScheduledExecutorService threads = Executors.newScheduledThreadPool(THREADS);
    List<Future<?>> pages = new ArrayList<>();
    long apart = every.toMillis() / addresses.size();
    for (int i = 0; i < addresses.size(); i++) {
      pages.add(
          threads.scheduleWithFixedDelay(
              new OpenPage(addresses.get(i))::look,
              i * apart,
              every.toMillis(),
              TimeUnit.MILLISECONDS));
    }
    return () -> end(threads, pages);
  }

  /** A look that failed has ended its page. */
  private static void end(ScheduledExecutorService threads, List<Future<?>> pages)
      throws Exception {
    for (Future<?> page : pages) {
      if (page.isDone()) {
        threads.shutdownNow();
        page.get();
      }
    }
    threads.shutdown();
    if (!threads.awaitTermination(STOP_PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("an open page gets no answer");
    }
  }
}
