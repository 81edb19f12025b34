package io.asyncflow.flowsvr.operate.stats.present;

import static java.util.stream.Collectors.toSet;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.asyncflow.api.stats.Overview;
import io.asyncflow.api.stats.StageList;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.operate.stats.present.PresentReader.Present;
import io.asyncflow.flowsvr.task.type.NoSuchTaskTypeException;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;

/** How the work stands: snapshots that all who look share. Thread-safe. */
@Service
public class PresentQueries {

  /** The most types whose stages are kept. */
  private static final int MOST_TYPES = 200;

  /** How long the stages of a type are kept for the next one who looks. */
  private static final Duration KEPT = Duration.ofMinutes(1);

  private final Snapshots<Present> overview;
  private final Cache<TaskType, Snapshots<StageList>> stages;
  private final PresentReader reader;
  private final TaskTypes types;
  private final int rest;
  private final Node node;

  PresentQueries(
      PresentReader reader, TaskTypes types, @Value("${flow.stats.rest:50}") int rest, Node node) {
    this.overview = new Snapshots<>(reader::read, rest, node);
    this.stages =
        Caffeine.newBuilder()
            .maximumSize(MOST_TYPES)
            .expireAfterAccess(KEPT)
            .ticker(node::nanoTime)
            .build();
    this.rest = rest;
    this.reader = reader;
    this.types = types;
    this.node = node;
  }

  /** The last snapshot, of these types alone; whether a type is paused is as of now. */
  public Overview overview(Names seen) {
    Overview all = overview.current().overview();
    Set<String> paused =
        types.all().stream()
            .filter(TaskTypeConfig::paused)
            .map(config -> config.type().name())
            .collect(toSet());
    return new Overview(
        all.at(),
        all.types().stream()
            .filter(type -> seen.contains(type.taskType()))
            .map(type -> type.paused(paused.contains(type.taskType())))
            .toList(),
        all.problems().stream().filter(one -> seen.contains(one.taskType())).toList());
  }

  /**
   * How many tasks of which stages were due and executing at the last look; looks if that was
   * longer ago.
   *
   * @throws RuntimeException if the last look failed
   */
  List<StageDepth> depths(Duration age) {
    return overview.within(age).stages();
  }

  /**
   * The last snapshot of the stages of a type.
   *
   * @throws NoSuchTaskTypeException if the type is not configured
   */
  public StageList stages(TaskType type) {
    types.require(type);
    return stages
        .get(type, read -> new Snapshots<>(() -> reader.stages(read), rest, node))
        .current();
  }
}
