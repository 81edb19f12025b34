package io.asyncflow.flowsvr.lease;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.lease.ClaimStore.Head;
import io.asyncflow.flowsvr.lease.ClaimStore.Range;
import io.asyncflow.flowsvr.lease.ClaimStore.Source;
import io.asyncflow.flowsvr.lease.ClaimStore.Sources;
import io.asyncflow.flowsvr.tasktable.TaskFamily;
import io.asyncflow.flowsvr.tasktable.TaskTable;
import io.asyncflow.flowsvr.tasktype.TaskType;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Service;

/** Looks for work that waits although it is due. Thread-safe. */
@Service
public class DueWork {

  private final ClaimStore claims;
  private final Map<TaskType, Source> goOnBehind = new ConcurrentHashMap<>();

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
   * index entry a stage and table, however many tasks wait. Of very many stages it looks at some,
   * and at the next ones when it is called again.
   */
  public Duration lateness(TaskFamily family) {
    Source beginning = new Source(family.begin(), "");
    Sources some =
        claims.waitingSources(family.live(), goOnBehind.getOrDefault(family.type(), beginning));
    goOnBehind.compute(family.type(), (type, before) -> some.last());
    List<Range> ranges = some.sources().stream().map(Range::whole).toList();
    long latest =
        claims.heads(ranges, 1).stream()
            .filter(Head::isDue)
            .mapToLong(Head::dueForMs)
            .max()
            .orElse(0);
    return Duration.ofMillis(latest);
  }
}
