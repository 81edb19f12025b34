package io.asyncflow.flowsvr.compose.job.steps;

import io.asyncflow.api.JobState;
import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.base.system.BadSettingException;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.FailureCollector;
import io.asyncflow.flowsvr.compose.job.core.JobStore;
import io.asyncflow.flowsvr.compose.job.core.JobStore.Unfinished;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Goes through the jobs that have not ended, again and again, in bounded parts: executes overdue
 * steps, which another server left undone, and looks at the running teams: gives their copies to
 * workers that have come, and those of silent workers to others. No index tells which of the jobs
 * need something, and most of many wait for their children.
 *
 * <p>Workers seem to be silent after an outage of the database or of all servers, too, because
 * their signs of life are not written meanwhile. So no worker counts as silent until rounds have
 * run without a break for a while.
 *
 * <p>Not thread-safe; may run on several servers at once.
 */
@Component
public class JobCatchUp {

  /** A round costs one statement for 5,000 unfinished jobs. */
  private static final Duration INTERVAL = Duration.ofSeconds(5);

  /** A server that works on a job changes its row more often than this. */
  private static final Duration UNCHANGED_FOR = Duration.ofSeconds(2);

  /** Within this time each living worker has a sign of life written. */
  private static final Duration HEARING = Duration.ofSeconds(25);

  private static final Duration SHORTEST_SILENCE = Duration.ofSeconds(30);

  /** The most jobs of a round that need something; the next round continues. */
  private static final int MOST = 200;

  private static final int PAGE = 5_000;

  /** The most pages of a round: to read them takes some tenths of a second. */
  private static final int MAX_PAGES = 10;

  private final JobStore jobs;
  private final JobSteps steps;
  private final TeamSteps teams;
  private final Node node;
  private final Duration silence;
  private final Duration interval;
  private final SteadyRounds rounds;
  private Unfinished last;

  JobCatchUp(
      JobStore jobs,
      JobSteps steps,
      TeamSteps teams,
      Node node,
      DutyIntervals every,
      @Value("${flow.team.silence:60s}") Duration silence) {
    this.jobs = jobs;
    this.steps = steps;
    this.teams = teams;
    this.node = node;
    if (silence.compareTo(SHORTEST_SILENCE) < 0) {
      throw new BadSettingException(
          "flow.team.silence is %s and must be at least %s: a living worker may seem silent for so long"
              .formatted(silence, SHORTEST_SILENCE));
    }
    this.silence = silence;
    this.interval = every.notBelowSweep(INTERVAL);
    this.rounds = new SteadyRounds(interval.multipliedBy(3), HEARING, node.nanoTime());
  }

  @Bean
  Duty jobCatchUpDuty() {
    return Duty.ofLeader("job-catch-up", interval, this::runOnce).onlyWith(JobStore.UNFINISHED);
  }

  /**
   * Executes what the next part of the jobs needs; returns the number of executed steps.
   *
   * @param mindsSilence whether a worker without a sign of life is silent
   * @throws RuntimeException the first failure, after all other jobs were processed
   */
  public int runOnce(boolean mindsSilence) {
    int executed = 0;
    FailureCollector failures = new FailureCollector();
    for (Unfinished job : next()) {
      executed += failures.orElse(0, () -> catchUp(job, mindsSilence));
    }
    failures.throwFirst();
    return executed;
  }

  /** The same, where workers are silent once rounds have run without a break for a while. */
  public int runOnce() {
    int executed = runOnce(rounds.begin(node.nanoTime()));
    rounds.end(node.nanoTime());
    return executed;
  }

  private int catchUp(Unfinished job, boolean mindsSilence) {
    int executed = steps.advance(job.id());
    if (job.isRunningTeam() && mindsSilence) {
      jobs.find(job.id())
          .filter(team -> team.state() == JobState.RUNNING)
          .ifPresent(team -> teams.moveFromSilent(team, silence));
    }
    return executed;
  }

  /**
   * The jobs in the next part that need something. The part ends with the last of so many, with its
   * last page or with the last job; then it begins again.
   */
  private List<Unfinished> next() {
    List<Unfinished> needy = new ArrayList<>();
    for (int i = 0; i < MAX_PAGES; i++) {
      List<Unfinished> page = jobs.unfinished(last, UNCHANGED_FOR, PAGE);
      for (Unfinished job : page) {
        last = job;
        if (job.isOverdue() || job.isRunningTeam()) {
          needy.add(job);
          if (needy.size() == MOST) {
            return needy;
          }
        }
      }
      if (page.size() < PAGE) {
        last = null;
        break;
      }
    }
    return needy;
  }
}
