package io.asyncflow.flowsvr.base.pulse;

import io.asyncflow.flowsvr.base.pulse.MetricStore.Bucket;
import io.asyncflow.flowsvr.base.pulse.TaskPulse.Place;
import io.asyncflow.flowsvr.base.pulse.count.Numbers;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.BackgroundLoop;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Writes what {@link TaskPulse} has counted, every ten seconds: the rows of the present minute, and
 * those of earlier ones whose write failed. What was counted since the last round belongs to the
 * minute in which it is collected.
 */
@Component
class MetricWriter implements DisposableBean {

  private static final Duration PAUSE = Duration.ofSeconds(10);

  /** How long the database's clock is computed from this machine's. */
  private static final Duration CLOCK = Duration.ofMinutes(10);

  /** What has not been written for so long is given up. */
  private static final int MOST_MINUTES = 10;

  private final TaskPulse pulse;
  private final MetricStore store;
  private final Node node;

  /** What belongs to no minute yet, because the database has not told its time. */
  private final Map<Place, Numbers> collected = new HashMap<>();

  /** The values of the rows of the present minute, and of those that are not written. */
  private final Map<Bucket, Numbers> rows = new HashMap<>();

  private final Set<Bucket> unwritten = new HashSet<>();
  private long clockRead;
  private long clockNow;
  private long latestMinute;

  MetricWriter(TaskPulse pulse, MetricStore store, Node node) {
    this.pulse = pulse;
    this.store = store;
    this.node = node;
  }

  @Bean
  BackgroundLoop metricWriterLoop() {
    return new BackgroundLoop("metric-writer", PAUSE, this::runOnce);
  }

  /** Collects and writes; without news it does nothing. */
  synchronized void runOnce() {
    pulse.drain().forEach((place, news) -> collected.merge(place, news, MetricWriter::sum));
    if (collected.isEmpty() && unwritten.isEmpty()) {
      return;
    }
    long minute = presentMinute();
    putInRows(minute);
    Map<Bucket, Numbers> changed = new HashMap<>();
    unwritten.forEach(bucket -> changed.put(bucket, rows.get(bucket)));
    store.write(changed);
    unwritten.clear();
    rows.keySet().removeIf(bucket -> bucket.minute() < minute);
  }

  private void putInRows(long minute) {
    collected.forEach(
        (place, news) -> {
          Bucket bucket = new Bucket(place, minute);
          rows.merge(bucket, news, MetricWriter::sum);
          unwritten.add(bucket);
        });
    collected.clear();
    rows.keySet().removeIf(bucket -> bucket.minute() < minute - MOST_MINUTES);
    unwritten.retainAll(rows.keySet());
  }

  private static Numbers sum(Numbers numbers, Numbers more) {
    numbers.addAll(more);
    return numbers;
  }

  /**
   * Never before the latest one: the values of a row that was written and forgotten are not here
   * any more, and others would replace them in the database.
   */
  private long presentMinute() {
    latestMinute = Math.max(latestMinute, TimeUnit.MILLISECONDS.toMinutes(databaseTime()));
    return latestMinute;
  }

  private long databaseTime() {
    long now = node.nanoTime();
    if (clockNow == 0 || now - clockRead > CLOCK.toNanos()) {
      clockNow = store.now();
      clockRead = now;
    }
    return clockNow + TimeUnit.NANOSECONDS.toMillis(now - clockRead);
  }

  /** What is left is written before the connections are closed. */
  @Override
  public void destroy() {
    runOnce();
  }
}
