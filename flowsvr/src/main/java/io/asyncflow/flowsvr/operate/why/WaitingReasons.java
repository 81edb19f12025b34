package io.asyncflow.flowsvr.operate.why;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.JobState;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.pause.Pause;
import io.asyncflow.api.pause.PauseKind;
import io.asyncflow.flowsvr.operate.why.DescribedWorker.State;
import io.asyncflow.flowsvr.operate.why.Facts.DoneAct;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.rules.JobPause;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.ScheduleLog;
import io.asyncflow.rules.TaskRow;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Why a waiting or paused task does not run, and why no worker takes it. Pure. */
final class WaitingReasons {

  /** How far tasks are counted. */
  static final int MOST_AHEAD = 1_001;

  /** After so long, a due task that nothing holds up should run. */
  private static final long LATE_MS = 5_000;

  private static final long LATELY = Duration.ofMinutes(2).toMillis();

  /** For so long, workers leave a task to those that have loaded its model. */
  private static final long PREFERENCE_MS = 1_000;

  /** The most workers of a kind in a text. */
  private static final int MOST_NAMED = 5;

  private final Facts facts;
  private final TaskRow row;
  private final String type;
  private final String stage;
  private final Reasons reasons = new Reasons();

  private WaitingReasons(Facts facts) {
    this.facts = facts;
    this.row = facts.row();
    this.type = row.id().type().name();
    this.stage = type + "/" + row.stage();
  }

  static Reasons of(Facts facts) {
    WaitingReasons waiting = new WaitingReasons(facts);
    if (facts.row().status() == TaskStatus.PAUSED) {
      waiting.addOwnPause();
    } else {
      waiting.addAll();
    }
    return waiting.reasons;
  }

  /** Whether the reasons depend on who executes tasks of the stage: if no worker describes it. */
  static boolean asksWhoHolds(TaskRow row, List<DescribedWorker> workers, Set<String> laneWorkers) {
    String stage = row.id().type().name() + "/" + row.stage();
    return laneWorkers.isEmpty()
        && workers.stream().noneMatch(one -> one.isAlive() && one.says().stages().contains(stage));
  }

  private void addAll() {
    if (facts.type() == null) {
      reasons.add(Cause.TYPE_UNKNOWN);
      return;
    }
    if (facts.type().paused()) {
      addPause(Cause.TYPE_PAUSED, pauseOf(PauseKind.TYPE));
    }
    if (pauseOf(PauseKind.STAGE).isPresent()) {
      addPause(Cause.STAGE_PAUSED, pauseOf(PauseKind.STAGE));
    }
    if (facts.job() != null) {
      addJob(facts.job());
    }
    if (row.orderTime() > row.now()) {
      addNotDue();
    }
    addLimits(facts.type());
    addWorkers();
    Integer ahead = facts.ahead();
    if (ahead != null && ahead > 0) {
      String atLeast = ahead == MOST_AHEAD ? "At least " : "";
      reasons.add(Cause.BEHIND, "ahead", ahead, "priority", row.priority(), "#atLeast", atLeast);
    }
    if (reasons.isEmpty() && row.now() - row.dueTime() > LATE_MS) {
      reasons.add(Cause.RAN_TO_NOBODY, "dueForMs", row.now() - row.dueTime());
    }
  }

  private void addOwnPause() {
    if (facts.job() != null && facts.job().pause() == JobPause.PAUSED) {
      addJob(facts.job());
      return;
    }
    Optional<DoneAct> act = facts.last("PAUSE");
    long since = act.map(DoneAct::time).orElse(row.modifyTime());
    String by = act.map(DoneAct::by).orElse(null);
    String reason = act.map(DoneAct::reasonOrNull).orElse(null);
    reasons.add(Cause.TASK_PAUSED, "since", since, "by", by, "reason", reason);
  }

  private Optional<Pause> pauseOf(PauseKind kind) {
    return facts.pauses().stream().filter(found -> found.kind() == kind).findFirst();
  }

  private void addPause(Cause cause, Optional<Pause> pause) {
    Optional<Pause> shown = pause.filter(found -> facts.seesActs());
    Long since = pause.map(Pause::pauseTime).orElse(null);
    String by = shown.map(Pause::operator).orElse(null);
    String why = shown.map(Pause::reason).orElse(null);
    Long until = pause.map(Pause::until).orElse(null);
    reasons.addUntil(until, cause, "since", since, "by", by, "reason", why);
  }

  private void addJob(JobRow job) {
    if (job.pause() == JobPause.PAUSED) {
      reasons.add(Cause.JOB_PAUSED, "jobId", "" + job.id());
    }
    if (job.state() == JobState.STOPPING) {
      reasons.add(Cause.JOB_STOPPING, "jobId", "" + job.id(), "state", job.state().name());
    }
  }

  private void addNotDue() {
    long due = row.orderTime();
    int failures = row.crtRetryNum() + row.unexpectedNum();
    ScheduleLog.Last last = ScheduleLog.last(row.scheduleLog());
    if (row.fire() != null && row.fire().fireTime() > row.now()) {
      String schedule = "" + row.fire().scheduleId();
      long fireTime = row.fire().fireTime();
      reasons.addUntil(due, Cause.FIRE_AHEAD, "scheduleId", schedule, "fireTime", fireTime);
    } else if (Outcome.SNOOZE.name().equals(last.outcome())) {
      reasons.addUntil(due, Cause.SNOOZED, "dueAt", due);
    } else if (failures > 0) {
      reasons.addUntil(
          due,
          Cause.BACKOFF,
          "attempt",
          failures + 1,
          "of",
          row.retryPolicy(facts.type()).maxRetries() + 1,
          "dueAt",
          due,
          "lastError",
          facts.seesContents() ? last.error() : null,
          "#failures",
          failures);
    } else {
      reasons.addUntil(due, Cause.NOT_DUE, "dueAt", due);
    }
  }

  private void addLimits(TaskTypeConfig limits) {
    Integer executing = facts.limits().executing();
    int most = limits.maxExecuting();
    if (executing != null && executing >= most) {
      reasons.add(Cause.LIMIT_EXECUTING, "executing", executing, "limit", most);
    }
    if (facts.limits().nextInMs() > 0) {
      long next = row.now() + facts.limits().nextInMs();
      reasons.addUntil(next, Cause.LIMIT_RATE, "perSecond", limits.rateLimit(), "nextAt", next);
    }
  }

  private void addWorkers() {
    List<DescribedWorker> listing =
        workers(worker -> worker.says().stages().contains(stage) && isOfLane(worker));
    List<DescribedWorker> alive = listing.stream().filter(DescribedWorker::isAlive).toList();
    if (alive.isEmpty()) {
      addNone(listing);
      return;
    }
    Set<String> paused =
        facts.pauses().stream()
            .filter(pause -> pause.kind() == PauseKind.WORKER)
            .map(Pause::name)
            .collect(toSet());
    List<DescribedWorker> asking =
        alive.stream().filter(worker -> !paused.contains(worker.id())).toList();
    int least = facts.type().minWorkerVersion();
    List<DescribedWorker> modern =
        asking.stream().filter(worker -> worker.says().version() >= least).toList();
    if (asking.isEmpty()) {
      reasons.add(Cause.WORKERS_PAUSED, "workerIds", facts.shown(alive), "#stageName", stage);
    } else if (modern.isEmpty()) {
      reasons.add(Cause.WORKER_TOO_OLD, "minVersion", least, "workers", facts.shown(asking));
    } else {
      addModel(modern);
      addBusy(modern);
    }
  }

  private List<DescribedWorker> workers(Predicate<DescribedWorker> wanted) {
    return facts.workers().stream().filter(wanted).toList();
  }

  private boolean isOfLane(DescribedWorker worker) {
    return facts.laneWorkers().isEmpty() || facts.laneWorkers().contains(worker.id());
  }

  private void addModel(List<DescribedWorker> workers) {
    Set<String> models =
        workers.stream()
            .map(worker -> worker.says().models().getOrDefault(stage, ""))
            .filter(model -> !model.isEmpty())
            .collect(toSet());
    long due = row.now() - row.orderTime();
    if (models.size() != 1 || due < 0 || due >= PREFERENCE_MS) {
      return;
    }
    String model = models.iterator().next();
    List<DescribedWorker> loaded =
        workers.stream().filter(worker -> worker.says().loaded().contains(model)).toList();
    if (!loaded.isEmpty() && loaded.size() < workers.size()) {
      long until = row.orderTime() + PREFERENCE_MS;
      List<String> names = facts.shown(loaded);
      reasons.addUntil(until, Cause.MODEL_PREFERRED, "model", model, "workers", names);
    }
  }

  /** The workers take tasks of the stage, unless they are full. */
  private void addBusy(List<DescribedWorker> workers) {
    for (DescribedWorker worker : workers) {
      int stuck = worker.says().stuck();
      if (stuck > 0 && !worker.hasFreeThreads(type) && facts.seesWorker().test(worker.id())) {
        reasons.add(Cause.HANDLERS_STUCK, "worker", worker.id(), "stuck", stuck);
      }
    }
    if (workers.stream().allMatch(DescribedWorker::isQuarantined)) {
      List<String> slots =
          workers.stream()
              .filter(worker -> facts.seesWorker().test(worker.id()))
              .map(worker -> worker.id() + ": " + worker.says().quarantined())
              .toList();
      reasons.add(Cause.SLOTS_QUARANTINED, "slots", slots);
    } else if (workers.stream().noneMatch(worker -> worker.hasFreeThreads(type))) {
      reasons.add(Cause.WORKERS_FULL, "workers", facts.shown(workers));
    }
  }

  private void addNone(List<DescribedWorker> listing) {
    addLabels();
    Set<String> known =
        workers(worker -> !worker.says().stages().isEmpty()).stream()
            .map(DescribedWorker::id)
            .collect(toSet());
    long others =
        facts.holders().stream()
            .filter(holder -> holder.holdTime() > row.now() - LATELY)
            .filter(holder -> !known.contains(holder.workerId()))
            .count();
    if (!facts.laneWorkers().isEmpty()) {
      addNoneOfLane();
    } else if (others > 0 || facts.hasUnnamedPollers()) {
      reasons.add(Cause.UNLISTED_POLLERS, "heldLast2Min", (int) others);
    } else {
      addNoWorker(listing);
    }
  }

  /** Workers that have a handler, and would ask for the stage with other labels. */
  private void addLabels() {
    List<DescribedWorker> able =
        workers(
            worker ->
                worker.isAlive()
                    && isOfLane(worker)
                    && worker.says().withheld().containsKey(stage)
                    && facts.seesWorker().test(worker.id()));
    if (!able.isEmpty()) {
      List<String> lacks =
          able.stream()
              .flatMap(worker -> worker.says().withheld().get(stage).stream())
              .distinct()
              .sorted()
              .toList();
      List<String> names = facts.shown(able);
      reasons.add(Cause.LABELS_MISSING, "stage", row.stage(), "requires", lacks, "workers", names);
    }
  }

  private void addNoWorker(List<DescribedWorker> listing) {
    List<String> others =
        facts.shown(
            workers(
                worker ->
                    worker.isAlive()
                        && worker.says().stages().stream()
                            .anyMatch(name -> name.startsWith(type + "/"))));
    List<String> lost = inState(listing, State.LOST);
    List<String> draining = inState(listing, State.DRAINING);
    String whatOthersDo =
        named(others, "serve other stages of the type")
            + named(lost, "had it and are lost")
            + named(draining, "have it and are draining");
    reasons.add(
        Cause.NO_WORKER,
        "lost",
        lost,
        "draining",
        draining,
        "others",
        others,
        "#stageName",
        stage,
        "#whatOthersDo",
        whatOthersDo);
  }

  private List<String> inState(List<DescribedWorker> workers, State state) {
    return facts.shown(workers.stream().filter(worker -> worker.state() == state).toList());
  }

  private static String named(List<String> workers, String what) {
    int shown = Math.min(workers.size(), MOST_NAMED);
    String more = workers.size() > shown ? " and " + (workers.size() - shown) + " more" : "";
    String names = String.join(", ", workers.subList(0, shown)) + more;
    return workers.isEmpty() ? "" : " These " + what + ": " + names + ".";
  }

  private void addNoneOfLane() {
    List<String> lane = facts.laneWorkers().stream().filter(facts.seesWorker()).sorted().toList();
    List<String> alive = facts.shown(workers(worker -> worker.isAlive() && isOfLane(worker)));
    reasons.add(Cause.LANE_NO_WORKER, "workerIds", lane, "alive", alive, "#stageName", stage);
    if (row.isCopy()) {
      reasons.add(Cause.TEAM_WAITS, "jobId", "" + row.place().jobId());
    }
  }
}
