package io.asyncflow.worker.redis;

import io.asyncflow.worker.HoldLock;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.redisson.config.ConstantDelay;
import org.redisson.config.SingleServerConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One lock for each type in Redis, tried for 50 ms at most.
 *
 * <p>Redis may be down or frozen at any time. A try without an answer in time is abandoned; if it
 * succeeds later, the lock is released at once. After a few such tries a circuit breaker skips
 * tries for two seconds, so a dead Redis costs almost no time.
 */
final class RedissonHoldLock implements HoldLock {

  private static final Logger log = LoggerFactory.getLogger(RedissonHoldLock.class);

  private static final Duration PATIENCE = Duration.ofMillis(50);

  /**
   * The pause between two tries while another worker has the lock: about the duration of a hold.
   */
  private static final Duration PAUSE = Duration.ofMillis(10);

  /** The time after which the lock of a dead worker expires. */
  private static final Duration LEASE = Duration.ofSeconds(2);

  private static final int TIMEOUT_MS = 500;

  private final LongAdder failures = new LongAdder();
  private final RedissonClient redis;
  private final CircuitBreaker breaker;

  /** Connects on first use, so Redis need not be up. */
  RedissonHoldLock(RedisAddress address) {
    this(address, Duration.ofSeconds(2));
  }

  /**
   * @param skipTime how long tries are skipped after a few without an answer
   */
  RedissonHoldLock(RedisAddress address, Duration skipTime) {
    redis = Redisson.create(configOf(address));
    breaker =
        CircuitBreaker.of(
            "hold-lock",
            CircuitBreakerConfig.custom()
                .slidingWindowSize(5)
                .minimumNumberOfCalls(3)
                .failureRateThreshold(60)
                .waitDurationInOpenState(skipTime)
                .permittedNumberOfCallsInHalfOpenState(1)
                .build());
    breaker.getEventPublisher().onStateTransition(event -> log(event.getStateTransition()));
  }

  private static void log(CircuitBreaker.StateTransition transition) {
    switch (transition) {
      case CLOSED_TO_OPEN -> log.warn("Redis does not answer; holds continue without the lock");
      case HALF_OPEN_TO_CLOSED -> log.info("Redis answers again; holds use the lock");
      default -> log.debug("Redis circuit breaker: {}", transition);
    }
  }

  private static Config configOf(RedisAddress redis) {
    Config config = new Config();
    config.setCodec(StringCodec.INSTANCE);
    config.setReferenceEnabled(false); // needs libraries that are left out: RxJava, Reactor
    config.setLazyInitialization(true);
    config.setThreads(2);
    config.setNettyThreads(2);
    SingleServerConfig server =
        config
            .useSingleServer()
            .setTimeout(TIMEOUT_MS)
            .setConnectTimeout(TIMEOUT_MS)
            .setSubscriptionTimeout(TIMEOUT_MS)
            .setRetryAttempts(0)
            .setRetryDelay(new ConstantDelay(Duration.ofMillis(50)))
            .setPingConnectionInterval(1_000)
            .setConnectionMinimumIdleSize(1)
            .setConnectionPoolSize(4)
            .setSubscriptionConnectionMinimumIdleSize(1)
            .setSubscriptionConnectionPoolSize(2);
    server.setAddress(redis.address());
    if (redis.user() != null) {
      config.setUsername(redis.user());
    }
    if (redis.password() != null) {
      config.setPassword(redis.password());
    }
    server.setDatabase(redis.database());
    return config;
  }

  /** The number of tries without an answer in time, since the start. */
  long failures() {
    return failures.sum();
  }

  @Override
  public boolean tryAcquire(String taskType) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    boolean acquired = false;
    try {
      // A last try without enough time for an answer would count as a failure of Redis.
      while (!acquired && until(end).compareTo(PAUSE) >= 0 && breaker.tryAcquirePermission()) {
        acquired = tryOnce(taskType, until(end));
        if (!acquired) {
          // Redisson's own wait has a timer resolution of only 100 ms.
          LockSupport.parkNanos(Math.min(PAUSE.toNanos(), until(end).toNanos()));
        }
      }
    } catch (TimeoutException | ExecutionException | RuntimeException e) {
      log.debug("no answer about the lock of type {}: {}", taskType, e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return acquired;
  }

  private static Duration until(long end) {
    return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
  }

  private boolean tryOnce(String taskType, Duration atMost)
      throws TimeoutException, ExecutionException, InterruptedException {
    long start = breaker.getCurrentTimestamp();
    long thread = Thread.currentThread().getId();
    CompletableFuture<Boolean> attempt = null;
    try {
      attempt =
          lockOf(taskType)
              .tryLockAsync(0, LEASE.toMillis(), TimeUnit.MILLISECONDS, thread)
              .toCompletableFuture();
      boolean acquired = attempt.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
      breaker.onSuccess(elapsedSince(start), breaker.getTimestampUnit());
      return acquired;
    } catch (TimeoutException | ExecutionException | RuntimeException e) {
      failures.increment();
      breaker.onError(elapsedSince(start), breaker.getTimestampUnit(), e);
      leaveBehind(attempt, taskType, thread);
      throw e;
    } catch (InterruptedException e) {
      breaker.releasePermission();
      leaveBehind(attempt, taskType, thread);
      throw e;
    }
  }

  private long elapsedSince(long start) {
    return breaker.getCurrentTimestamp() - start;
  }

  /**
   * Abandons a try; if it succeeds later, releases the lock, so that other workers need not wait
   * for its lease.
   */
  private void leaveBehind(CompletableFuture<Boolean> attempt, String taskType, long thread) {
    if (attempt != null) {
      attempt.thenAccept(
          acquired -> {
            if (acquired) {
              unlock(taskType, thread);
            }
          });
    }
  }

  @Override
  public void release(String taskType) {
    unlock(taskType, Thread.currentThread().getId());
  }

  /** Releases without waiting: if that fails, the lock's lease expires. */
  private void unlock(String taskType, long thread) {
    try {
      lockOf(taskType)
          .unlockAsync(thread)
          .whenComplete(
              (done, error) -> {
                if (error != null) {
                  log.debug("the lock of type {} is left to its lease: {}", taskType, error);
                }
              });
    } catch (RuntimeException e) {
      log.debug("the lock of type {} is left to its lease: {}", taskType, e.toString());
    }
  }

  private RLock lockOf(String taskType) {
    return redis.getLock("asyncflow:hold:" + taskType);
  }

  @Override
  public void close() {
    redis.shutdown(0, TIMEOUT_MS, TimeUnit.MILLISECONDS);
  }
}
