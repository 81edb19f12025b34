package io.asyncflow.flowsvr.edge.access.refusal;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.edge.web.error.ApiErrorWriter;
import io.asyncflow.flowsvr.edge.web.filter.ClientAddress;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Counts refused requests by client address, logs them once a minute, and turns an address away for
 * a while after some tries without a valid key.
 *
 * <p>A request with the right key is admitted from any address, because a whole fleet may share its
 * address with one misconfigured worker. So this class does not prevent guessing; the key's length
 * does. Thread-safe.
 */
@Component
public class RefusedRequests {

  private static final Logger log = LoggerFactory.getLogger(RefusedRequests.class);

  static final int TRIES_A_MINUTE = 30;
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** Bounds the memory and the log lines that refused clients can cause. */
  private static final int MOST_ADDRESSES = 10_000;

  private static final int MOST_LINES = 20;
  private static final String OTHERS = "other addresses";

  private final Node node;
  private final Map<Refusal, Counter> refusals = new EnumMap<>(Refusal.class);
  private final Map<String, Tries> byAddress = new HashMap<>();

  private static final class Tries {
    private int triesLeft = TRIES_A_MINUTE;
    private final Map<Refusal, Integer> refused = new EnumMap<>(Refusal.class);
    private long refusedSince;
  }

  RefusedRequests(Node node, MeterRegistry meters) {
    this.node = node;
    for (Refusal refusal : Refusal.values()) {
      refusals.put(
          refusal,
          Counter.builder("asyncflow.access.refused")
              .description("requests that were refused before anything was done")
              .tag("reason", refusal.tag())
              .register(meters));
    }
  }

  @Bean
  BackgroundLoop refusedRequestsLoop() {
    return new BackgroundLoop("refused-requests", MINUTE, this::runOnce);
  }

  /** Counts the refusal that answers a request, wherever it came from; none if it is none. */
  public void countAnswer(HttpServletRequest request) {
    Refusal.of(ApiErrorWriter.codeOf(request))
        .ifPresent(refusal -> count(request.getRemoteAddr(), refusal));
  }

  /**
   * Counts a request that was refused for another reason than its key.
   *
   * @param address the client's address
   */
  public void count(String address, Refusal refusal) {
    synchronized (byAddress) {
      triesOf(address, refusal);
    }
  }

  private Tries triesOf(String address, Refusal refusal) {
    refusals.get(refusal).increment();
    String network = ClientAddress.networkOf(address).orElse(OTHERS);
    Tries tries = byAddress.get(network);
    if (tries == null) {
      String name = byAddress.size() < MOST_ADDRESSES ? network : OTHERS;
      tries = byAddress.computeIfAbsent(name, any -> new Tries());
    }
    tries.refused.merge(refusal, 1, Integer::sum);
    return tries;
  }

  /**
   * Counts a request without a valid key.
   *
   * @param address the client's address
   * @return how long the address is turned away; zero while it has tries left
   */
  public Duration countTry(String address, Refusal refusal) {
    synchronized (byAddress) {
      Tries tries = triesOf(address, refusal);
      if (tries.triesLeft > 0) {
        tries.triesLeft--;
        tries.refusedSince = node.nanoTime();
        return Duration.ZERO;
      }
      Duration remaining = MINUTE.minusNanos(node.nanoTime() - tries.refusedSince);
      if (remaining.isNegative() || remaining.isZero()) {
        tries.triesLeft = TRIES_A_MINUTE - 1;
        return Duration.ZERO;
      }
      return remaining;
    }
  }

  /** Logs the last minute, and resets the tries of addresses that are not turned away. */
  void runOnce() {
    Map<String, Map<Refusal, Integer>> counts = new HashMap<>();
    synchronized (byAddress) {
      long now = node.nanoTime();
      byAddress.forEach((address, tries) -> counts.put(address, new EnumMap<>(tries.refused)));
      byAddress
          .values()
          .removeIf(tries -> tries.triesLeft > 0 || now - tries.refusedSince >= MINUTE.toNanos());
      byAddress.values().forEach(tries -> tries.refused.clear());
    }
    counts.values().removeIf(Map::isEmpty);
    counts.entrySet().stream()
        .sorted(Comparator.comparing(entry -> -sum(entry.getValue())))
        .limit(MOST_LINES)
        .forEach(
            entry ->
                log.warn(
                    "requests refused from {} in the last minute: {}",
                    entry.getKey(),
                    words(entry.getValue())));
    if (counts.size() > MOST_LINES) {
      log.warn("… and from {} more addresses", counts.size() - MOST_LINES);
    }
  }

  private static int sum(Map<Refusal, Integer> counts) {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  private static String words(Map<Refusal, Integer> counts) {
    return counts.entrySet().stream()
        .map(count -> count.getValue() + " " + count.getKey().words())
        .collect(Collectors.joining(", "));
  }
}
