package io.asyncflow.flowsvr.due;

import io.asyncflow.rules.TaskTable;
import java.time.Duration;
import java.util.List;
import org.springframework.stereotype.Service;

/** Looks for work that waits although it is due. Thread-safe. */
@Service
public class DueWork {

  private final DueStore store;

  DueWork(DueStore store) {
    this.store = store;
  }

  /** A stage of a table; with an empty name, which no stage has, what comes before the first. */
  public record Stage(TaskTable table, String name) {}

  /**
   * A stage for which any task waits.
   *
   * @param late how long the first of them has been due; zero if it is not
   */
  public record Waiting(Stage stage, Duration late) {}

  /**
   * The stage of each table that comes next after these and for which any task waits; none of a
   * table that has no further one. One statement, and one index entry a table, however many tasks
   * wait.
   */
  public List<Waiting> next(List<Stage> after) {
    return store
        .headsOfNextStages(after.stream().map(at -> new Source(at.table(), at.name())).toList())
        .stream()
        .map(
            head ->
                new Waiting(
                    new Stage(head.source().table(), head.source().stage()),
                    Duration.ofMillis(Math.max(0, head.dueForMs()))))
        .toList();
  }
}
