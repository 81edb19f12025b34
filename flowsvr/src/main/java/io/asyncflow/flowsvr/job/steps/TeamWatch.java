package io.asyncflow.flowsvr.job.steps;

import io.asyncflow.api.JobState;
import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.job.core.JobStore;
import io.asyncflow.flowsvr.job.core.JobStore.Unfinished;
import io.asyncflow.flowsvr.system.BadSettingException;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.concurrent.FailureCollector;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Looks at the running teams: gives their copies to workers that have come, and those of silent
 * workers to others.
 *
 * <p>Workers seem to be silent after an outage of the database or of all servers, too, because
 * their signs of life are not written meanwhile. So no worker counts as silent until rounds have
 * run without a break for a while.
 *
 * <p>Not thread-safe; may run on several servers at once.
 */
@Component
public class TeamWatch {

  /** A round without a running team costs one statement for 5,000 unfinished jobs. */
  private static final Duration INTERVAL = Duration.ofSeconds(5);

  /** Within this time each living worker has a sign of life written. */
  private static final Duration HEARING = Duration.ofSeconds(25);

  private static final Duration SHORTEST_SILENCE = Duration.ofSeconds(30);

  /** The most teams of a round; the next round continues. */
  private static final int PAGE = 200;

  private final JobStore jobs;
  private final JobWalk walk;
  private final JobSteps steps;
  private final TeamSteps teams;
  private final Node node;
  private final Duration silence;
  private final Duration interval;
  private final SteadyRounds rounds;

  TeamWatch(
      JobStore jobs,
      JobSteps steps,
      TeamSteps teams,
      Node node,
      DutyIntervals every,
      @Value("${flow.team.silence:60s}") Duration silence) {
    this.jobs = jobs;
    this.walk = new JobWalk(jobs);
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
  Duty teamWatchDuty() {
    return Duty.ofLeader("team-watch", interval, () -> runOnce()).onlyWith(JobStore.UNFINISHED);
  }

  private int runOnce() {
    int looked = runOnce(rounds.begin(node.nanoTime()));
    rounds.end(node.nanoTime());
    return looked;
  }

  /**
   * Looks at a page of the running teams; returns their number.
   *
   * @param mindsSilence whether a worker without a sign of life is silent
   * @throws RuntimeException the first failure, after all other teams were looked at
   */
  public int runOnce(boolean mindsSilence) {
    List<Long> page = walk.next(Unfinished::isRunningTeam, PAGE);
    FailureCollector failures = new FailureCollector();
    for (long id : page) {
      failures.orElse(0, () -> look(id, mindsSilence));
    }
    failures.throwFirst();
    return page.size();
  }

  private int look(long id, boolean mindsSilence) {
    int done = steps.advance(id);
    if (mindsSilence) {
      jobs.find(id)
          .filter(team -> team.state() == JobState.RUNNING)
          .ifPresent(team -> teams.moveFromSilent(team, silence));
    }
    return done;
  }
}
