package io.asyncflow.flowsvr.governance;

import io.asyncflow.flowsvr.lease.HoldRetention;
import io.asyncflow.flowsvr.system.BackgroundLoop;
import io.asyncflow.flowsvr.task.KeyRetention;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.stereotype.Component;

/** Runs the governance jobs, each in a loop of its own, from the moment the server is ready. */
@Component
class GovernanceLoop implements ApplicationListener<ApplicationReadyEvent>, DisposableBean {

  private static final Duration CLEANING = Duration.ofSeconds(30);

  private final ExpiredLeaseSweep leases;
  private final KeyRetention keys;
  private final HoldRetention holds;
  private final Duration sweepInterval;
  private List<BackgroundLoop> loops = List.of();

  GovernanceLoop(
      ExpiredLeaseSweep leases,
      KeyRetention keys,
      HoldRetention holds,
      @Value("${flow.governance.sweep-interval:1s}") Duration sweepInterval) {
    this.leases = leases;
    this.keys = keys;
    this.holds = holds;
    this.sweepInterval = sweepInterval;
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent ready) {
    loops =
        List.of(
            BackgroundLoop.start("expired-lease-sweep", sweepInterval, leases::runOnce),
            BackgroundLoop.start("key-retention", CLEANING, keys::runOnce),
            BackgroundLoop.start("hold-retention", CLEANING, holds::runOnce));
  }

  @Override
  public void destroy() {
    loops.forEach(BackgroundLoop::close);
  }
}
