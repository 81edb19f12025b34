package io.asyncflow.flowsvr.due;

import io.asyncflow.rules.Lane;
import io.asyncflow.rules.TaskTable;
import java.time.Duration;
import java.util.List;
import org.springframework.stereotype.Service;

/**
 * Finds stages and lanes with waiting tasks, and how long their first task has been due.
 * Thread-safe.
 */
@Service
public class DueWork {

  private final DueStore store;

  DueWork(DueStore store) {
    this.store = store;
  }

  /**
   * A lane of a stage of a table. The empty name, which no stage has, stands for the place before
   * the first stage.
   */
  public record Stage(TaskTable table, String name, String lane) {

    /** The place before all stages of a table. */
    public static Stage before(TaskTable table) {
      return new Stage(table, "", Lane.OPEN);
    }
  }

  /**
   * A lane of a stage that has waiting tasks.
   *
   * @param late how long the task that is held first has been due; zero if it is not due
   */
  public record Waiting(Stage stage, Duration late) {}

  /**
   * The next one with waiting tasks behind each of these, in its table; none behind the last one.
   * One statement, which reads one row per table, however many tasks wait.
   */
  public List<Waiting> next(List<Stage> after) {
    return store
        .headsOfNext(
            after.stream().map(at -> new Source(at.table(), at.name(), at.lane())).toList())
        .stream()
        .map(
            found ->
                new Waiting(
                    new Stage(
                        found.source().table(), found.source().stage(), found.source().lane()),
                    Duration.ofMillis(Math.max(0, found.dueMs()))))
        .toList();
  }
}
