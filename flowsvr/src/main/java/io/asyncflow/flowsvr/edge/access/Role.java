package io.asyncflow.flowsvr.edge.access;

import static io.asyncflow.flowsvr.edge.access.Verb.*;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** A set of verbs that are granted together. A caller with several roles has the verbs of all. */
public enum Role {
  /** Looks at everything but the contents of tasks. */
  READER(
      TYPE_READ,
      TASK_READ,
      STATS_READ,
      JOB_READ,
      SCHEDULE_READ,
      WORKER_READ,
      EVENT_READ,
      GOVERN_READ,
      METRICS_READ,
      DOCS_READ),
  /** An application that creates work and reads what becomes of it. */
  SUBMITTER(
      TYPE_READ,
      TASK_CREATE,
      TASK_READ,
      STATS_READ,
      TASK_CANCEL,
      CONTEXT_READ,
      STORE_GET,
      JOB_CREATE,
      JOB_READ,
      JOB_CANCEL,
      SCHEDULE_READ,
      SCHEDULE_SAVE,
      EVENT_READ),
  /** A worker: holds tasks and reports on them. */
  WORKER(
      TYPE_READ,
      TASK_READ,
      STATS_READ,
      CONTEXT_READ,
      WORK_HOLD,
      WORK_REPORT,
      WORK_UPDATE,
      WORK_BEAT,
      STORE_PUT,
      STORE_GET,
      JOB_READ,
      WORKER_READ,
      WORKER_PAUSE),
  /** Steers what runs, without a look at the contents of tasks. */
  OPERATOR(
      TYPE_READ,
      TYPE_TUNE,
      TYPE_ROLL,
      TASK_READ,
      STATS_READ,
      TASK_CANCEL,
      TASK_RETRY,
      TASK_FORCE,
      TASK_STEER,
      BULK,
      WORK_UPDATE,
      JOB_READ,
      JOB_CANCEL,
      JOB_STEER,
      SCHEDULE_READ,
      SCHEDULE_STEER,
      PAUSE,
      WORKER_READ,
      WORKER_PAUSE,
      WORKER_DRAIN,
      EVENT_READ,
      AUDIT_READ,
      GOVERN_READ,
      METRICS_READ,
      DOCS_READ),
  /** May do everything. */
  ADMIN(Verb.values());

  private final Set<Verb> verbs;

  Role(Verb... verbs) {
    Set<Verb> granted = EnumSet.noneOf(Verb.class);
    Collections.addAll(granted, verbs);
    this.verbs = Collections.unmodifiableSet(granted);
  }

  /** The role of a name, in whatever case; empty if there is none. */
  public static Optional<Role> parse(String name) {
    String upper = name.toUpperCase(Locale.ROOT);
    return Stream.of(values()).filter(role -> role.name().equals(upper)).findFirst();
  }

  public Set<Verb> verbs() {
    return verbs;
  }
}
