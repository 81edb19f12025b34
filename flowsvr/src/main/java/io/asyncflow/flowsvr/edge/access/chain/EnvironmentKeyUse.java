package io.asyncflow.flowsvr.edge.access.chain;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.DaemonThreads;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.CallerActor;
import io.asyncflow.flowsvr.edge.access.chain.AccessProperties.Mode;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Actor;
import io.asyncflow.flowsvr.edge.act.Acts;
import jakarta.annotation.PreDestroy;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Records the use of the environment's key beside access keys, where it is meant for emergencies:
 * the first use in an hour. The request does not wait for it. Thread-safe.
 */
@Component
class EnvironmentKeyUse {

  private static final Logger log = LoggerFactory.getLogger(EnvironmentKeyUse.class);
  private static final long HOUR = Duration.ofHours(1).toNanos();

  /** The next use after this time is recorded if a record has failed. */
  private static final long FAILURE_PAUSE = Duration.ofSeconds(10).toNanos();

  private final Acts acts;
  private final Node node;
  private final boolean isOn;
  private final AtomicLong lastRecorded;
  private final ExecutorService recorder = DaemonThreads.pool(1, "environment-key");

  EnvironmentKeyUse(AccessProperties access, Acts acts, Node node) {
    this.acts = acts;
    this.node = node;
    this.isOn = access.mode() == Mode.KEYS;
    this.lastRecorded = new AtomicLong(node.nanoTime() - HOUR);
  }

  void note(Caller caller, HttpServletRequest request) {
    if (!isOn || caller.kind() != Caller.Kind.ENV) {
      return;
    }
    long now = node.nanoTime();
    long last = lastRecorded.get();
    if (now - last >= HOUR && lastRecorded.compareAndSet(last, now)) {
      Actor actor = CallerActor.of(caller, request);
      recorder.execute(() -> record(actor, now));
    }
  }

  private void record(Actor actor, long usedAt) {
    try {
      acts.recordBy(actor, Act.of("USE_KEY", "key:FLOW_API_KEY"));
    } catch (RuntimeException e) {
      lastRecorded.set(usedAt - HOUR + FAILURE_PAUSE);
      log.warn(
          "a use of FLOW_API_KEY from {} could not be recorded, and the next one will be: {}",
          actor.ip(),
          e.toString());
    }
  }

  @PreDestroy
  void stop() {
    recorder.shutdown();
  }
}
