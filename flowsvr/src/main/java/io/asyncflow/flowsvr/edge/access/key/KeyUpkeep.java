package io.asyncflow.flowsvr.edge.access.key;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.rules.access.AccessKeyRow;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Once a minute: writes when keys were last used, and shows which ones end soon, and once a day
 * warns of those. Thread-safe.
 */
@Component
@ConditionalOnProperty(name = "flow.access.mode", havingValue = "keys")
class KeyUpkeep {

  private static final Logger log = LoggerFactory.getLogger(KeyUpkeep.class);
  private static final Duration PAUSE = Duration.ofMinutes(1);
  private static final int DAYS_SHOWN = 30;
  private static final int DAYS_WARNED = 10;

  private final KnownKeys keys;
  private final AccessKeyStore store;
  private final MultiGauge expires;
  private final Map<String, Long> warned = new HashMap<>();

  KeyUpkeep(KnownKeys keys, AccessKeyStore store, MeterRegistry meters) {
    this.keys = keys;
    this.store = store;
    this.expires =
        MultiGauge.builder("asyncflow.access.expires")
            .description("until an access key expires, of those with less than thirty days")
            .baseUnit("seconds")
            .register(meters);
    Gauge.builder("asyncflow.access.ignored", () -> keys.snapshot().changed().size())
        .description(
            "access keys whose rows have no good seal or cannot be read, so that they are ignored")
        .register(meters);
  }

  @Bean
  Duty keyUpkeepDuty() {
    return Duty.ofEach("access-key-upkeep", PAUSE, this::runOnce);
  }

  /** Returns how many keys were used since the run before. */
  int runOnce() {
    showExpiries();
    Map<String, Long> uses = new HashMap<>();
    for (KnownKey key : keys.snapshot().all()) {
      long last = key.use().unwritten();
      if (last != 0) {
        uses.put(key.row().id(), last);
      }
    }
    if (!uses.isEmpty()) {
      store.markUsed(uses);
      keys.snapshot()
          .all()
          .forEach(key -> key.use().written(uses.getOrDefault(key.row().id(), 0L)));
    }
    return uses.size();
  }

  private void showExpiries() {
    long now = keys.now();
    List<AccessKeyRow> ending =
        keys.snapshot().all().stream()
            .map(KnownKey::row)
            .filter(row -> row.isLive(now) && !row.isReplaced())
            .filter(row -> daysLeft(row, now) < DAYS_SHOWN)
            .toList();
    expires.register(
        ending.stream()
            .<MultiGauge.Row<?>>map(
                row -> MultiGauge.Row.of(Tags.of("key", row.id()), secondsLeft(row, now)))
            .toList(),
        true);
    ending.stream().filter(row -> daysLeft(row, now) < DAYS_WARNED).forEach(row -> warn(row, now));
  }

  /** Once a day for each key. */
  private void warn(AccessKeyRow row, long now) {
    Long last = warned.get(row.id());
    if (last == null || now - last >= TimeUnit.DAYS.toMillis(1)) {
      warned.put(row.id(), now);
      log.warn(
          "the access key {} ({}) expires in {} days: rotate it",
          row.id(),
          row.name(),
          daysLeft(row, now));
    }
  }

  private static double secondsLeft(AccessKeyRow row, long now) {
    return (row.expireTime() - now) / 1_000.0;
  }

  private static long daysLeft(AccessKeyRow row, long now) {
    return TimeUnit.MILLISECONDS.toDays(row.expireTime() - now);
  }
}
