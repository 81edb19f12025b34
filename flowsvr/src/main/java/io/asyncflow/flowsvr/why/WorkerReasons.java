package io.asyncflow.flowsvr.why;

import static io.asyncflow.flowsvr.why.Reasons.data;

import io.asyncflow.api.pause.Pause;
import io.asyncflow.api.pause.PauseKind;
import io.asyncflow.flowsvr.why.DescribedWorker.State;
import io.asyncflow.flowsvr.why.Facts.Holder;
import io.asyncflow.rules.TaskRow;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Why no worker takes a waiting task. Pure. */
final class WorkerReasons {

  private static final long LATELY = Duration.ofMinutes(2).toMillis();

  /** For so long, workers leave a task to those that have loaded its model. */
  private static final long PREFERENCE_MS = 1_000;

  private final Facts facts;
  private final Reasons reasons;
  private final String type;
  private final List<DescribedWorker> listing;

  private WorkerReasons(Facts facts, Reasons reasons) {
    this.facts = facts;
    this.reasons = reasons;
    this.type = facts.row().id().type().name();
    String stage = facts.stageName();
    this.listing =
        facts.workers().stream()
            .filter(worker -> worker.says().stages().contains(stage))
            .filter(this::isOfLane)
            .toList();
  }

  /** Whether the reasons depend on who executes tasks of the stage: if no worker describes it. */
  static boolean asksWhoHolds(TaskRow row, List<DescribedWorker> workers, Set<String> laneWorkers) {
    String stage = row.id().type().name() + "/" + row.stage();
    return laneWorkers.isEmpty()
        && workers.stream().noneMatch(one -> one.isAlive() && one.says().stages().contains(stage));
  }

  static void addTo(Reasons reasons, Facts facts) {
    new WorkerReasons(facts, reasons).addAll();
  }

  private boolean isOfLane(DescribedWorker worker) {
    return facts.laneWorkers().isEmpty() || facts.laneWorkers().contains(worker.id());
  }

  private void addAll() {
    List<DescribedWorker> alive = listing.stream().filter(DescribedWorker::isAlive).toList();
    if (alive.isEmpty()) {
      addNone();
      return;
    }
    Set<String> paused =
        facts.pauses().stream()
            .filter(pause -> pause.kind() == PauseKind.WORKER)
            .map(Pause::name)
            .collect(Collectors.toSet());
    List<DescribedWorker> asking = without(alive, worker -> paused.contains(worker.id()));
    if (asking.isEmpty()) {
      reasons.block(
          "WORKERS_PAUSED",
          data("workerIds", facts.shown(alive)),
          null,
          "RESUME_WORKER",
          "All workers with the stage " + facts.stageName() + " are paused.");
      return;
    }
    int least = facts.type() == null ? 0 : facts.type().minWorkerVersion();
    List<DescribedWorker> modern = without(asking, worker -> worker.says().version() < least);
    if (modern.isEmpty()) {
      reasons.block(
          "WORKER_TOO_OLD",
          data("minVersion", least, "workers", facts.shown(asking)),
          null,
          "UPGRADE_WORKER",
          "All workers with the stage are older than version "
              + least
              + ", which the type asks"
              + " for.");
      return;
    }
    addBusy(modern);
  }

  private static List<DescribedWorker> without(
      List<DescribedWorker> workers, Predicate<DescribedWorker> left) {
    return workers.stream().filter(left.negate()).toList();
  }

  private void addModel(List<DescribedWorker> workers) {
    String stage = facts.stageName();
    Set<String> models =
        workers.stream()
            .map(worker -> worker.says().models().getOrDefault(stage, ""))
            .filter(model -> !model.isEmpty())
            .collect(Collectors.toSet());
    long due = facts.row().now() - facts.row().orderTime();
    if (models.size() != 1 || due < 0 || due >= PREFERENCE_MS) {
      return;
    }
    String model = models.iterator().next();
    List<DescribedWorker> loaded =
        without(workers, worker -> !worker.says().loaded().contains(model));
    if (!loaded.isEmpty() && loaded.size() < workers.size()) {
      reasons.add(
          "MODEL_PREFERRED",
          data("model", model, "workers", facts.shown(loaded)),
          facts.row().orderTime() + PREFERENCE_MS,
          "WAIT",
          "Workers that have loaded its model may take it first, for a second.");
    }
  }

  /** The workers take tasks of the stage, unless they are full. */
  private void addBusy(List<DescribedWorker> workers) {
    addModel(workers);
    for (DescribedWorker worker : workers) {
      if (worker.says().stuck() > 0
          && !worker.hasFreeThreads(type)
          && facts.seesWorker().test(worker.id())) {
        reasons.add(
            "HANDLERS_STUCK",
            data("worker", worker.id(), "stuck", worker.says().stuck()),
            null,
            "RESTART_WORKER",
            "%s has %s handlers that heed no interrupt."
                .formatted(worker.id(), worker.says().stuck()));
      }
    }
    if (workers.stream().allMatch(DescribedWorker::isQuarantined)) {
      List<String> slots =
          workers.stream()
              .filter(worker -> facts.seesWorker().test(worker.id()))
              .map(worker -> worker.id() + ": " + worker.says().quarantined())
              .toList();
      reasons.block(
          "SLOTS_QUARANTINED",
          data("slots", slots),
          null,
          "CHECK_DEVICE",
          "No slot of the workers with this stage is free, and some are in quarantine.");
    } else if (workers.stream().noneMatch(worker -> worker.hasFreeThreads(type))) {
      reasons.block(
          "WORKERS_FULL",
          data("workers", facts.shown(workers)),
          null,
          "ADD_WORKERS",
          "The workers with this stage have no free thread.");
    }
  }

  private void addNone() {
    long since = facts.row().now() - LATELY;
    Set<String> known =
        facts.workers().stream()
            .filter(worker -> !worker.says().stages().isEmpty())
            .map(DescribedWorker::id)
            .collect(Collectors.toSet());
    List<Holder> others =
        facts.holders().stream()
            .filter(holder -> holder.holdTime() > since)
            .filter(holder -> !known.contains(holder.workerId()))
            .toList();
    addLabels();
    if (!facts.laneWorkers().isEmpty()) {
      addNoneOfLane();
    } else if (!others.isEmpty() || facts.hasUnnamedPollers()) {
      reasons.add(
          "UNLISTED_POLLERS",
          data("heldLast2Min", others.size()),
          null,
          null,
          "No worker describes this stage, but clients that describe nothing take such tasks.");
    } else {
      addNoWorker();
    }
  }

  /** Workers that have a handler, and would ask for the stage with other labels. */
  private void addLabels() {
    String stage = facts.stageName();
    List<DescribedWorker> able =
        facts.workers().stream()
            .filter(DescribedWorker::isAlive)
            .filter(this::isOfLane)
            .filter(worker -> worker.says().withheld().containsKey(stage))
            .filter(worker -> facts.seesWorker().test(worker.id()))
            .toList();
    if (!able.isEmpty()) {
      List<String> requires =
          able.stream()
              .flatMap(worker -> worker.says().withheld().get(stage).stream())
              .distinct()
              .sorted()
              .toList();
      reasons.block(
          "LABELS_MISSING",
          data("stage", facts.row().stage(), "requires", requires, "workers", facts.shown(able)),
          null,
          "LABEL_WORKER",
          "Workers have a handler for the stage, and lack the labels " + requires + ".");
    }
  }

  private void addNoWorker() {
    List<DescribedWorker> serving =
        facts.workers().stream()
            .filter(DescribedWorker::isAlive)
            .filter(w -> w.says().stages().stream().anyMatch(stage -> stage.startsWith(type + "/")))
            .toList();
    List<String> lost = facts.shown(without(listing, worker -> worker.state() != State.LOST));
    List<String> draining =
        facts.shown(without(listing, worker -> worker.state() != State.DRAINING));
    List<String> others = facts.shown(serving);
    StringBuilder text =
        new StringBuilder("No live worker has the stage " + facts.stageName() + ".");
    say(text, others, "serve other stages of the type");
    say(text, lost, "had it and are lost");
    say(text, draining, "have it and are draining");
    reasons.block(
        "NO_WORKER",
        data("lost", lost, "draining", draining, "others", others),
        null,
        "START_WORKER",
        text.toString());
  }

  private static void say(StringBuilder text, List<String> workers, String what) {
    if (!workers.isEmpty()) {
      int shown = Math.min(workers.size(), 5);
      String more = workers.size() > shown ? " and " + (workers.size() - shown) + " more" : "";
      text.append(" These ").append(what).append(": ");
      text.append(String.join(", ", workers.subList(0, shown))).append(more).append('.');
    }
  }

  private void addNoneOfLane() {
    List<String> lane = facts.laneWorkers().stream().filter(facts.seesWorker()).sorted().toList();
    List<String> alive =
        facts.shown(
            facts.workers().stream()
                .filter(DescribedWorker::isAlive)
                .filter(this::isOfLane)
                .toList());
    reasons.block(
        "LANE_NO_WORKER",
        data("workerIds", lane, "alive", alive),
        null,
        "SET_WORKERS",
        "None of the workers that may hold it is alive and has the stage "
            + facts.stageName()
            + ".");
    if (facts.row().isCopy()) {
      reasons.add(
          "TEAM_WAITS",
          data("jobId", "" + facts.row().place().jobId()),
          null,
          "START_WORKER",
          "It is a copy of a team, which gives it to another worker when this one stays silent.");
    }
  }
}
