package io.asyncflow.flowsvr.lease;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.lease.ClaimStore.Head;
import io.asyncflow.flowsvr.lease.ClaimStore.Range;
import io.asyncflow.flowsvr.lease.ClaimStore.Source;
import io.asyncflow.flowsvr.tasktable.TaskFamily;
import io.asyncflow.flowsvr.tasktable.TaskTable;
import io.asyncflow.flowsvr.tasktype.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.springframework.stereotype.Service;

/** Looks for work that waits although it is due. */
@Service
public class DueWork {

  private final ClaimStore claims;

  DueWork(ClaimStore claims) {
    this.claims = claims;
  }

  /**
   * The types of these families for which any task waits, due or not. One statement, however many
   * types there are.
   */
  public Set<TaskType> waiting(Collection<TaskFamily> families) {
    List<TaskTable> tables = families.stream().flatMap(family -> family.live().stream()).toList();
    return claims.withWaiting(tables).stream().map(TaskTable::type).collect(toSet());
  }

  /**
   * How long the task of the family that is due longest has been so; zero if none is due. Reads one
   * index entry a stage and table, however many tasks wait.
   */
  public Duration lateness(TaskFamily family) {
    List<Range> ranges = new ArrayList<>();
    for (TaskTable table : family.live()) {
      claims
          .waitingStages(table)
          .forEach(stage -> ranges.add(Range.whole(new Source(table, stage))));
    }
    if (ranges.isEmpty()) {
      return Duration.ZERO;
    }
    long latest =
        claims.heads(ranges, 1).stream()
            .filter(Head::isDue)
            .mapToLong(Head::dueForMs)
            .max()
            .orElse(0);
    return Duration.ofMillis(latest);
  }
}
