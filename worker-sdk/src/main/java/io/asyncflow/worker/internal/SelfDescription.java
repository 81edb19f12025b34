package io.asyncflow.worker.internal;

import io.asyncflow.api.WorkerInfo;
import io.asyncflow.api.WorkerInfo.Withheld;
import io.asyncflow.worker.WorkerSettings;
import io.asyncflow.worker.WorkerState;
import io.asyncflow.worker.WorkerView;
import io.asyncflow.worker.WorkerView.TypeView;
import io.asyncflow.worker.internal.execute.SlotPool;
import io.asyncflow.worker.internal.stage.RegisteredStage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The description of a worker in its heartbeats: its constant data and its present state. */
final class SelfDescription {

  private static final int MOST_QUEUED = 50;

  /** Characters of a list that only explains: a server refuses descriptions beyond 16 KiB. */
  private static final int ROOM = 2_000;

  private final String host = WorkerIds.host();
  private final String version = SelfDescription.class.getPackage().getImplementationVersion();
  private final Integer programVersion;
  private final List<String> stages;
  private final Map<String, String> labels;
  private final List<Withheld> withheld;
  private final Map<String, String> models;

  /**
   * @param withheldStages stages that are not asked for, with the labels that are missing
   */
  SelfDescription(
      WorkerSettings settings,
      Map<String, Map<String, RegisteredStage>> types,
      Map<String, List<String>> withheldStages) {
    stages =
        types.entrySet().stream()
            .flatMap(type -> type.getValue().keySet().stream().map(s -> type.getKey() + "/" + s))
            .toList();
    labels = settings.labels();
    withheld =
        fitting(
            withheldStages.entrySet().stream()
                .map(stage -> new Withheld(stage.getKey(), stage.getValue()))
                .toList());
    models = models(types);
    programVersion = settings.version() == 0 ? null : settings.version();
  }

  WorkerInfo at(WorkerView now, boolean isPaused, List<TypePipeline> pipelines, SlotPool slots) {
    Map<String, Integer> freeThreads = new LinkedHashMap<>();
    pipelines.forEach(
        pipeline -> freeThreads.put(pipeline.taskType(), pipeline.pool().freeThreads()));
    return new WorkerInfo(
        host,
        version,
        programVersion,
        stages,
        labels,
        freeThreads,
        slots.freeByDevice(),
        statesOf(now, isPaused),
        withheld,
        models,
        fitting(slots.loadedModels()),
        fitting(
            pipelines.stream()
                .flatMap(pipeline -> pipeline.pool().queuedTasks(MOST_QUEUED).stream())
                .limit(MOST_QUEUED)
                .toList()));
  }

  private static Map<String, String> models(Map<String, Map<String, RegisteredStage>> types) {
    List<Map.Entry<String, String>> ofStages =
        types.entrySet().stream()
            .flatMap(
                type ->
                    type.getValue().entrySet().stream()
                        .filter(stage -> !stage.getValue().model().isEmpty())
                        .map(
                            stage ->
                                Map.entry(
                                    type.getKey() + "/" + stage.getKey(),
                                    stage.getValue().model())))
            .toList();
    List<Map.Entry<String, String>> fitting = fitting(ofStages);
    return fitting == null
        ? null
        : fitting.stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** The first ones that fit into {@link #ROOM}; {@code null} for none, which says nothing. */
  private static <T> List<T> fitting(List<T> all) {
    List<T> fitting = new ArrayList<>();
    int room = ROOM;
    for (T each : all) {
      room -= each.toString().length();
      if (room < 0) {
        break;
      }
      fitting.add(each);
    }
    return fitting.isEmpty() ? null : fitting;
  }

  private static Map<String, String> statesOf(WorkerView now, boolean isPaused) {
    Map<String, String> states = new LinkedHashMap<>();
    boolean asksForNothing = isPaused && now.state() == WorkerState.RUNNING;
    states.put("worker", asksForNothing ? "PAUSED" : now.state().name());
    states.put("health", now.problem() == null ? "healthy" : now.problem());
    int stuck = now.types().stream().mapToInt(TypeView::stuck).sum();
    states.put("stuck", Integer.toString(stuck));
    states.put(
        "quarantined", now.quarantined().isEmpty() ? "none" : String.join(", ", now.quarantined()));
    states.put("spooled", Integer.toString(now.spooled()));
    now.types().forEach(type -> states.put("poller/" + type.taskType(), type.poller()));
    return states;
  }
}
