package io.asyncflow.flowsvr.access.chain;

import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.concurrent.BackgroundLoop;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Counts requests without a valid key by client address, logs them once a minute, and refuses an
 * address for a while after some tries.
 *
 * <p>A request with the right key is admitted from any address, because a whole fleet may share its
 * address with one misconfigured worker. So this class does not prevent guessing; the key's length
 * does. Thread-safe.
 */
@Component
class RefusedKeys {

  private static final Logger log = LoggerFactory.getLogger(RefusedKeys.class);

  static final int TRIES_A_MINUTE = 30;
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** Bounds the memory and the log lines that refused clients can cause. */
  private static final int MOST_ADDRESSES = 10_000;

  private static final int MOST_LINES = 20;
  private static final Pattern IPV4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
  private static final String OTHERS = "other addresses";

  private final Node node;
  private final boolean isOn;
  private final Counter refusals;
  private final Map<String, Tries> byAddress = new HashMap<>();
  private BackgroundLoop loop;

  private static final class Tries {
    private int triesLeft = TRIES_A_MINUTE;
    private int refused;
    private long refusedSince;
  }

  RefusedKeys(Node node, MeterRegistry meters, AccessProperties access) {
    this.node = node;
    this.isOn = !access.isLocal();
    this.refusals =
        Counter.builder("asyncflow.access.refused")
            .description("requests that brought no valid key")
            .register(meters);
  }

  @PostConstruct
  void start() {
    if (isOn) {
      loop = BackgroundLoop.start("refused-keys", MINUTE, this::runOnce);
    }
  }

  @PreDestroy
  void stop() {
    if (loop != null) {
      loop.close();
    }
  }

  /**
   * Notes a request without a valid key.
   *
   * @param address the client's address
   * @return how long the address is refused; zero while it has tries left
   */
  Duration note(String address) {
    refusals.increment();
    String network = networkOf(address);
    synchronized (byAddress) {
      Tries tries = byAddress.get(network);
      if (tries == null) {
        String name = byAddress.size() < MOST_ADDRESSES ? network : OTHERS;
        tries = byAddress.computeIfAbsent(name, any -> new Tries());
      }
      tries.refused++;
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

  /** Logs the last minute, and resets the tries of addresses that are not being refused. */
  void runOnce() {
    List<Map.Entry<String, Integer>> counts;
    synchronized (byAddress) {
      long now = node.nanoTime();
      counts =
          byAddress.entrySet().stream()
              .filter(entry -> entry.getValue().refused > 0)
              .map(entry -> Map.entry(entry.getKey(), entry.getValue().refused))
              .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
              .toList();
      byAddress
          .values()
          .removeIf(tries -> tries.triesLeft > 0 || now - tries.refusedSince >= MINUTE.toNanos());
      byAddress.values().forEach(tries -> tries.refused = 0);
    }
    for (Map.Entry<String, Integer> entry :
        counts.subList(0, Math.min(MOST_LINES, counts.size()))) {
      log.warn(
          "requests without a valid key from {} in the last minute, all refused: {}",
          entry.getKey(),
          entry.getValue());
    }
    if (counts.size() > MOST_LINES) {
      log.warn("… and from {} more addresses", counts.size() - MOST_LINES);
    }
  }

  /**
   * Groups IPv6 addresses by /64, because a client with one of them has at least 2^64. Behind a
   * proxy the client may forge the address, so a text that is not an address must not cause a DNS
   * lookup.
   */
  private static String networkOf(String address) {
    if (address.indexOf(':') < 0) {
      return IPV4.matcher(address).matches() ? address : OTHERS;
    }
    try {
      byte[] bytes =
          InetAddress.getByName("[" + address + "]").getAddress(); // accepts literals only
      if (bytes.length == 4) {
        return InetAddress.getByAddress(bytes).getHostAddress();
      }
      Arrays.fill(bytes, 8, 16, (byte) 0);
      return InetAddress.getByAddress(bytes).getHostAddress() + "/64";
    } catch (UnknownHostException e) {
      return OTHERS;
    }
  }
}
