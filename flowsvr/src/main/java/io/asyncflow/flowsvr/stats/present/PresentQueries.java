package io.asyncflow.flowsvr.stats.present;

import io.asyncflow.api.stats.Overview;
import io.asyncflow.api.stats.StageList;
import io.asyncflow.flowsvr.access.Names;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.tasktype.NoSuchTaskTypeException;
import io.asyncflow.rules.TaskType;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Service;

/** How the work stands. Thread-safe. */
@Service
public class PresentQueries implements DisposableBean {

  private final Snapshots<Overview> overview;
  private final StageReader stages;

  PresentQueries(OverviewReader reader, StageReader stages, Node node) {
    this.overview = new Snapshots<>("stats-overview", reader::read, node);
    this.stages = stages;
  }

  /** The last snapshot, of these types alone. */
  public Overview overview(Names types) {
    Overview all = overview.current();
    return types.isAll()
        ? all
        : new Overview(
            all.at(),
            all.types().stream().filter(type -> types.contains(type.taskType())).toList(),
            all.problems().stream().filter(one -> types.contains(one.taskType())).toList());
  }

  /**
   * The stages of a type.
   *
   * @throws NoSuchTaskTypeException if the type is not configured
   */
  public StageList stages(TaskType type) {
    return stages.read(type);
  }

  @Override
  public void destroy() {
    overview.close();
  }
}
