package io.asyncflow.flowsvr.base.system.redis;

import io.asyncflow.flowsvr.base.system.concurrent.BackgroundLoop;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.StateTransition;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.redisson.config.ConstantDelay;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * The connection to an optional Redis, which speeds things up and decides nothing.
 *
 * <p>No method throws because of Redis. A call fails after half a second at the latest, and after a
 * few failures a circuit breaker skips calls for a while. Without a configured address every call
 * does nothing. Thread-safe.
 */
@Component
public class RedisLink implements DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(RedisLink.class);
  private static final int TIMEOUT_MS = 500;
  private static final Duration TRY_AGAIN = Duration.ofSeconds(2);
  private static final Duration SUBSCRIBE_AGAIN = Duration.ofSeconds(1);

  private final RedissonClient client;
  private final CircuitBreaker breaker;

  public RedisLink(@Value("${flow.redis.url:}") String url) {
    this.client = url.isBlank() ? null : connect(url);
    this.breaker =
        CircuitBreaker.of(
            "redis",
            CircuitBreakerConfig.custom()
                .slidingWindowSize(5)
                .minimumNumberOfCalls(3)
                .failureRateThreshold(60)
                .waitDurationInOpenState(TRY_AGAIN)
                .permittedNumberOfCallsInHalfOpenState(1)
                .build());
    breaker.getEventPublisher().onStateTransition(event -> logChange(event.getStateTransition()));
  }

  /** Logs only changes between open and closed. */
  private static void logChange(StateTransition change) {
    if (change == StateTransition.CLOSED_TO_OPEN) {
      log.warn(
          "Redis does not answer: continuing without it, trying again every {} s",
          TRY_AGAIN.toSeconds());
    } else if (change.getToState() == CircuitBreaker.State.CLOSED) {
      log.info("Redis answers again");
    }
  }

  private static RedissonClient connect(String url) {
    Config config = new Config();
    config.setCodec(StringCodec.INSTANCE);
    config.setReferenceEnabled(false); // needs libraries that are left out: RxJava, Reactor
    config.setLazyInitialization(true); // the server starts without Redis
    config
        .useSingleServer()
        .setAddress(url)
        .setTimeout(TIMEOUT_MS)
        .setConnectTimeout(TIMEOUT_MS)
        .setSubscriptionTimeout(TIMEOUT_MS)
        .setRetryAttempts(0)
        .setRetryDelay(new ConstantDelay(Duration.ofMillis(50)))
        .setPingConnectionInterval(1_000)
        .setConnectionMinimumIdleSize(1)
        .setConnectionPoolSize(8)
        .setSubscriptionConnectionMinimumIdleSize(1)
        .setSubscriptionConnectionPoolSize(4);
    return Redisson.create(config);
  }

  /** Not part of readiness, because the server works without Redis. */
  @Bean
  HealthIndicator redisHealthIndicator() {
    return () ->
        isConfigured()
            ? (answers() ? Health.up() : Health.down()).build()
            : Health.unknown().withDetail("reason", "no Redis is configured").build();
  }

  /** Whether an address is configured. */
  public boolean isConfigured() {
    return client != null;
  }

  /** Whether the circuit breaker skips calls, because Redis did not answer lately. */
  public boolean isGivenUp() {
    return breaker.getState() == CircuitBreaker.State.OPEN;
  }

  /** Whether Redis answers now; false if none is configured. */
  public boolean answers() {
    return isConfigured() && call(this::ping, false);
  }

  private boolean ping() {
    client.getBucket("asyncflow:ping").isExists(); // the value of the answer does not matter
    return true;
  }

  /** Publishes a message if Redis answers. */
  public void publish(String channel, String message) {
    if (isConfigured()) {
      call(() -> client.getTopic(channel).publish(message), 0L);
    }
  }

  /**
   * Subscribes to a channel for the life of this process. The first subscription is tried every
   * second until it succeeds; after an outage Redisson subscribes again.
   *
   * @return the loop that subscribes, to be closed when this process stops
   */
  public AutoCloseable subscribe(String channel, Consumer<String> listener) {
    if (!isConfigured()) {
      return () -> {};
    }
    boolean[] subscribed = {false};
    return BackgroundLoop.start(
        "redis-subscribe",
        SUBSCRIBE_AGAIN,
        () -> {
          if (!subscribed[0]) {
            client
                .getTopic(channel)
                .addListener(String.class, (name, message) -> listener.accept(message));
            subscribed[0] = true;
          }
        });
  }

  private <T> T call(Supplier<T> work, T otherwise) {
    try {
      return breaker.executeSupplier(work);
    } catch (CallNotPermittedException e) {
      return otherwise; // logged when the breaker opened
    } catch (RuntimeException e) {
      log.debug("continuing without Redis: {}", e.toString());
      return otherwise;
    }
  }

  @Override
  public void destroy() {
    if (isConfigured()) {
      client.shutdown();
    }
  }
}
