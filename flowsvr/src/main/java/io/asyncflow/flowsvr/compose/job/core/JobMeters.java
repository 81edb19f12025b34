package io.asyncflow.flowsvr.compose.job.core;

import io.asyncflow.api.JobState;
import io.asyncflow.flowsvr.base.pulse.count.Objectives;
import io.asyncflow.flowsvr.base.system.TypeSeries;
import io.asyncflow.flowsvr.base.system.db.AfterCommit;
import io.asyncflow.rules.JobRow;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/** Counts the jobs that are created, and that end, by a change on this server. Thread-safe. */
@Component
public class JobMeters implements JobLedger {

  private final MeterRegistry registry;
  private final TypeSeries types = new TypeSeries();
  private final Set<String> shown = ConcurrentHashMap.newKeySet();

  JobMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Counts a job that was created. */
  void created(String type) {
    Counter.builder("asyncflow.jobs.submitted")
        .description("jobs that were created")
        .tag("type", types.of(type))
        .register(registry)
        .increment();
    show(type);
  }

  /** Lets the counts of a type begin at 0 on this server, so that the first end is a rise. */
  public void show(String type) {
    if (shown.add(type)) {
      Stream.of(JobState.values()).filter(JobState::isFinal).forEach(state -> ended(type, state));
      lives(type);
    }
  }

  @Override
  public void ended(List<JobRow> jobs) {
    AfterCommit.run(() -> jobs.forEach(this::count));
  }

  private void count(JobRow job) {
    ended(job.jobType().name(), job.state()).increment();
    if (job.state() != JobState.CANCELLED) {
      long ms = job.endTime() - job.createTime(); // the clock may have been set back meanwhile
      lives(job.jobType().name()).record(Math.max(0, ms), TimeUnit.MILLISECONDS);
    }
  }

  private Counter ended(String type, JobState state) {
    return Counter.builder("asyncflow.jobs.ended")
        .description("jobs that ended, by their state")
        .tag("type", types.of(type))
        .tag("state", state.name().toLowerCase(Locale.ROOT))
        .register(registry);
  }

  private Timer lives(String type) {
    return Timer.builder("asyncflow.jobs.life")
        .description("from the creation of a job to its success or failure")
        .tag("type", types.of(type))
        .serviceLevelObjectives(Objectives.durations())
        .register(registry);
  }
}
