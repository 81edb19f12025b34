package io.asyncflow.worker.internal.schedule;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.OneLine;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.SavedSchedule;
import io.asyncflow.worker.internal.loop.Backoff;
import io.asyncflow.worker.internal.loop.Link;
import io.asyncflow.worker.internal.loop.Loop;
import io.asyncflow.worker.internal.loop.OutageLog;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves the schedules of a worker once, all with one call, and repeats it until flowsvr answers. If
 * flowsvr refuses some of them, the others are saved one by one, and the refused ones are given up;
 * those whose task type does not exist yet are saved when it does.
 */
public final class ScheduleSaver implements Loop.Step {

  private static final Logger log = LoggerFactory.getLogger(ScheduleSaver.class);
  private static final int MS_PER_S = 1_000;

  private final FlowClient client;
  private final List<NewSchedule> pending;
  private final Backoff backoff;
  private final OutageLog outage;
  private boolean oneByOne;

  /**
   * @param schedules at most 1,000, with different names; without any, flowsvr is not asked
   */
  public ScheduleSaver(FlowClient client, List<NewSchedule> schedules, Backoff backoff, Link link) {
    this.client = client;
    this.pending = new ArrayList<>(schedules);
    this.backoff = backoff;
    this.outage = new OutageLog(log, "schedules of this worker", link);
  }

  @Override
  public Duration runOnce() {
    if (pending.isEmpty()) {
      return Loop.END;
    }
    try {
      if (!oneByOne) {
        saveAll();
      }
      if (oneByOne) {
        saveEach();
      }
      outage.worked();
      return Loop.END;
    } catch (FlowException e) {
      outage.failed(
          e.errorCode().name(),
          e.getMessage(),
          pending.size() + " schedules are not saved yet, and it is tried again");
      return backoff.next();
    }
  }

  private void saveAll() {
    try {
      List<SavedSchedule> saved = client.schedules().saveAll(pending);
      for (int i = 0; i < saved.size(); i++) {
        tell(pending.get(i), saved.get(i));
      }
      pending.clear();
    } catch (FlowException e) {
      oneByOne = isOfOneSchedule(e.errorCode());
      if (!oneByOne) {
        throw e;
      }
    }
  }

  /**
   * @throws FlowException if some are left for the next try
   */
  private void saveEach() {
    FlowException missing = null;
    for (Iterator<NewSchedule> next = pending.iterator(); next.hasNext(); ) {
      NewSchedule schedule = next.next();
      try {
        tell(schedule, client.schedules().save(schedule));
        next.remove();
      } catch (FlowException e) {
        if (!isOfOneSchedule(e.errorCode())) {
          throw e;
        }
        if (e.errorCode() == ErrorCode.NO_SUCH_TASK_TYPE) {
          missing = e;
        } else {
          next.remove();
          tellRefusal(schedule, e);
        }
      }
    }
    if (missing != null) {
      throw missing;
    }
  }

  /** Whether the other schedules may be saved all the same. */
  private static boolean isOfOneSchedule(ErrorCode code) {
    return switch (code) {
      case INVALID_INPUT, MALFORMED_BODY, TOO_LARGE, NO_SUCH_TASK_TYPE -> true;
      default -> false;
    };
  }

  private static void tell(NewSchedule schedule, SavedSchedule saved) {
    String name = schedule.name();
    switch (saved.outcome()) {
      case CREATED -> log.info("schedule {} created; {}", name, nextFire(saved));
      case CHANGED -> log.info("schedule {} changed; {}", name, nextFire(saved));
      case ENDED -> log.info("schedule {} changed; it has ended, all its fires are made", name);
      case UNCHANGED -> log.debug("schedule {} is unchanged; {}", name, nextFire(saved));
      case KEPT ->
          log.info(
              "schedule {} stays as it is, because flowsvr has a higher revision of it than {}; {}",
              name,
              schedule.revision() == null ? 0 : schedule.revision(),
              nextFire(saved));
    }
  }

  private static String nextFire(SavedSchedule saved) {
    Long next = saved.nextFireTime();
    if (next == null) {
      return "no fire is planned";
    }
    LocalDateTime time = LocalDateTime.ofEpochSecond(next / MS_PER_S, 0, ZoneOffset.UTC);
    return "its next fire is at " + time + "Z";
  }

  private static void tellRefusal(NewSchedule schedule, FlowException e) {
    log.error(
        "schedule {} is not saved, because flowsvr refuses it: {}; the worker runs without it:"
            + " correct its definition and restart the worker",
        OneLine.of(schedule.name()),
        OneLine.of(e.getMessage()));
  }
}
