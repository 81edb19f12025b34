package io.asyncflow.console.page.find;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.api.stats.StageList.StageNumbers;
import io.asyncflow.api.stats.StatsClient;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Visit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The statuses and stages of a type, with their numbers of tasks, each of which narrows a search.
 * The statuses have no numbers without a type, and where other words narrow the search, because
 * nothing counts these.
 */
record Facets(List<FindViews.Facet> statuses, List<FindViews.Facet> stages) {

  static final Facets NONE = new Facets(List.of(), List.of());
  private static final int MOST_STAGES = 32;

  /** The names of words that say what is counted. */
  private static final Set<String> COUNTED = Set.of("type", "stage", "status");

  static Facets read(Visit visit, SearchText q, String order) {
    Frame frame = visit.frame();
    List<StageNumbers> stages = stages(visit, q.value("type"));
    List<String> asked = q.values("stage");
    List<StageNumbers> counted =
        stages.stream()
            .filter(stage -> asked.isEmpty() || asked.contains(stage.taskStage()))
            .toList();
    boolean isCounted =
        q.words().stream()
            .allMatch(word -> COUNTED.contains(word.name()) && word.operator().equals(":"));
    List<FindViews.Facet> statuses = new ArrayList<>();
    for (TaskStatus status : TaskStatus.values()) {
      String name = status.name().toLowerCase(Locale.ROOT);
      BoundedCount count =
          stages.isEmpty() || !isCounted
              ? null
              : counted.stream()
                  .map(stage -> countOf(stage, status))
                  .reduce(BoundedCount.ZERO, BoundedCount::plus);
      statuses.add(facet(frame, q, order, "status", name, count));
    }
    return new Facets(
        statuses,
        stages.stream()
            .limit(MOST_STAGES)
            .map(stage -> facet(frame, q, order, "stage", stage.taskStage(), null))
            .toList());
  }

  private static FindViews.Facet facet(
      Frame frame, SearchText q, String order, String name, String value, BoundedCount count) {
    boolean isSet = q.has(name, value);
    String text = q.toggled(name, value).text();
    return new FindViews.Facet(value, TaskFinder.address(frame, text, order), isSet, count);
  }

  private static BoundedCount countOf(StageNumbers stage, TaskStatus status) {
    return switch (status) {
      case WAITING -> stage.due().plus(stage.later());
      case EXECUTING -> stage.executing();
      case SUCCESS -> stage.success();
      case FAILED -> stage.failed();
      case CANCELLED -> stage.cancelled();
      case PAUSED -> stage.paused();
    };
  }

  /** Numbers are a help: a page without them is better than none. */
  private static List<StageNumbers> stages(Visit visit, String type) {
    return type.isEmpty() || !visit.may("STATS_READ")
        ? List.of()
        : Visit.orElse(() -> new StatsClient(visit.api()).stages(type).stages(), List.of());
  }
}
