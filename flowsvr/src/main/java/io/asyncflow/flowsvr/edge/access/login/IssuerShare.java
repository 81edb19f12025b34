package io.asyncflow.flowsvr.edge.access.login;

import com.github.benmanes.caffeine.cache.Cache;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.RecentValues;
import io.asyncflow.flowsvr.edge.web.error.RateExceededException;
import io.asyncflow.flowsvr.edge.web.filter.ClientAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Bounds what browsers cause at the issuer, all of them and those of one network: anybody can begin
 * a log-in, and bring codes that he has made up. Thread-safe.
 *
 * <p>Tries with keys are counted elsewhere: people share an address with a program that has a wrong
 * key.
 */
final class IssuerShare {

  /** Each that waits has a thread of the server. */
  static final int MOST_WAITING = 16;

  static final int MOST_WAITING_OF_A_NETWORK = 2;

  /** With codes that prove nobody. */
  static final int TRIES_A_MINUTE = 30;

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int MOST_NETWORKS = 10_000;
  private static final String OTHERS = "other addresses";

  private final boolean knowsNetworks;
  private final Map<String, Integer> waiting = new HashMap<>();
  private final Cache<String, AtomicInteger> tries;
  private int allWaiting;

  /**
   * @param knowsNetworks whether requests have the addresses of browsers; otherwise a proxy's, and
   *     nobody is to be kept out for what others do
   */
  IssuerShare(Node node, boolean knowsNetworks) {
    this.knowsNetworks = knowsNetworks;
    this.tries = RecentValues.of(MINUTE, MOST_NETWORKS, node);
  }

  /** What waits for the issuer. */
  interface Asking<T, E extends Exception> {
    T ask() throws E;
  }

  /**
   * Asks the issuer for a browser.
   *
   * @param address of the browser
   * @throws FlowException if too many wait
   */
  <T, E extends Exception> T ask(String address, Asking<T, E> asking) throws E {
    String network = networkOf(address);
    enter(network);
    try {
      return asking.ask();
    } finally {
      leave(network);
    }
  }

  /**
   * As {@link #ask}, with a code that may be made up. It is counted before the issuer is asked, and
   * no longer counts when it has proven somebody.
   *
   * @throws FlowException also if the network has tried too often
   */
  <T, E extends Exception> T tryWith(String address, Asking<T, E> proof) throws E {
    return ask(
        address,
        () -> {
          AtomicInteger used = tries.get(networkOf(address), any -> new AtomicInteger());
          if (used.incrementAndGet() > TRIES_A_MINUTE && knowsNetworks) {
            throw new RateExceededException(
                "too many log-ins from your network have failed in the last minute", MINUTE);
          }
          T proven = proof.ask();
          used.decrementAndGet();
          return proven;
        });
  }

  private synchronized void enter(String network) {
    int ofNetwork = waiting.getOrDefault(network, 0);
    if (allWaiting >= MOST_WAITING || knowsNetworks && ofNetwork >= MOST_WAITING_OF_A_NETWORK) {
      throw new FlowException(ErrorCode.UNAVAILABLE, "too many log-ins wait for the issuer");
    }
    allWaiting++;
    waiting.put(network, ofNetwork + 1);
  }

  private synchronized void leave(String network) {
    allWaiting--;
    waiting.computeIfPresent(network, (name, count) -> count == 1 ? null : count - 1);
  }

  private static String networkOf(String address) {
    return ClientAddress.networkOf(address).orElse(OTHERS);
  }
}
