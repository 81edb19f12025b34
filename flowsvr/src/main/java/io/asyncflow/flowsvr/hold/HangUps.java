package io.asyncflow.flowsvr.hold;

import io.asyncflow.flowsvr.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.web.load.GoneCallers;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.stereotype.Component;

/**
 * Ends parked holds whose clients have hung up, before tasks are claimed for them: a worker that
 * was killed would take the tasks with it until their leases expire. The server gets no event when
 * a connection closes, so it looks at each connection about once a second, by a read that does not
 * block. Thread-safe.
 */
@Component
class HangUps implements ApplicationListener<ApplicationReadyEvent>, DisposableBean {

  private static final Logger log = LoggerFactory.getLogger(HangUps.class);

  private static final Duration INTERVAL = Duration.ofMillis(800);

  private final Set<Call> calls = ConcurrentHashMap.newKeySet();
  private BackgroundLoop loop;

  private static final class Call {
    private final BooleanSupplier hasHungUp;
    private final Future<?> hold;
    private boolean isOver;

    Call(BooleanSupplier hasHungUp, Future<?> hold) {
      this.hasHungUp = hasHungUp;
      this.hold = hold;
    }

    /** Waits for a look that is under way: the answer may end the use of the connection. */
    synchronized void end() {
      isOver = true;
    }

    synchronized boolean isHungUp() {
      return !isOver && hasHungUp.getAsBoolean();
    }
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent ready) {
    loop = BackgroundLoop.start("hang-ups", INTERVAL, this::look);
  }

  /**
   * Cancels the hold if its client hangs up. The returned action must run before the request is
   * answered.
   */
  Runnable watch(HttpServletRequest request, Future<?> hold) {
    if (hold.isDone()) {
      return () -> {};
    }
    Call call = new Call(GoneCallers.hangUpOf(request), hold);
    calls.add(call);
    return () -> {
      calls.remove(call);
      call.end();
    };
  }

  private void look() {
    for (Call call : calls) {
      try {
        if (call.isHungUp()) {
          call.hold.cancel(false);
        }
      } catch (RuntimeException e) {
        log.debug("the connection of a parked hold is not looked at any more", e);
        calls.remove(call);
      }
    }
  }

  @Override
  public void destroy() {
    if (loop != null) {
      loop.close();
    }
  }
}
