package io.asyncflow.flowsvr.queue.hold;

import io.asyncflow.flowsvr.base.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.edge.web.load.UndeliveredAnswers;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Ends parked holds whose clients have hung up, before tasks are claimed for them: a worker that
 * was killed would take the tasks with it until their leases expire. The server gets no event when
 * a connection closes, so it looks at each connection about once a second, by a read that does not
 * block. Thread-safe.
 */
@Component
class DisconnectWatch {

  private static final Logger log = LoggerFactory.getLogger(DisconnectWatch.class);

  private static final Duration INTERVAL = Duration.ofMillis(800);

  /** Whether the client of each parked hold has hung up; looked at with the hold locked. */
  private final Map<Future<?>, BooleanSupplier> calls = new ConcurrentHashMap<>();

  @Bean
  BackgroundLoop hangUpsLoop() {
    return new BackgroundLoop("hang-ups", INTERVAL, this::look);
  }

  /**
   * Cancels the hold if its client hangs up. The returned action must run before the request is
   * answered. It waits for a look that is under way: the answer may end the use of the connection.
   */
  Runnable watch(HttpServletRequest request, Future<?> hold) {
    if (hold.isDone()) {
      return () -> {};
    }
    calls.put(hold, UndeliveredAnswers.hangUpOf(request));
    return () -> {
      synchronized (hold) {
        calls.remove(hold);
      }
    };
  }

  private void look() {
    calls.forEach(
        (hold, hasHungUp) -> {
          try {
            if (isHungUp(hold, hasHungUp)) {
              hold.cancel(false);
            }
          } catch (RuntimeException e) {
            log.debug("the connection of a parked hold is not looked at any more", e);
            calls.remove(hold);
          }
        });
  }

  private boolean isHungUp(Future<?> hold, BooleanSupplier hasHungUp) {
    synchronized (hold) {
      return calls.containsKey(hold) && hasHungUp.getAsBoolean();
    }
  }
}
