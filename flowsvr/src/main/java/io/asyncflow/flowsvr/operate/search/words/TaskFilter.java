package io.asyncflow.flowsvr.operate.search.words;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.task.number.NumberTime;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskType;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Which tasks are searched for. An empty set, and {@code null}, stand for all.
 *
 * @param ids the tasks themselves; the rest must fit as well
 * @param workers the last holders
 * @param texts one of them must stand in the context, in the result or in the log
 * @param created when the numbers were made
 * @param due the order times
 * @param retriesAbove more failures of the current stage than this
 * @param retriesBelow fewer failures of the current stage than this
 */
public record TaskFilter(
    Set<TaskId> ids,
    Long jobId,
    Set<TaskType> types,
    Set<TaskStatus> statuses,
    Set<String> stages,
    Set<String> users,
    Names workers,
    Set<String> texts,
    Span created,
    Span due,
    Integer retriesAbove,
    Integer retriesBelow) {

  /** The same for the tasks of these users alone. */
  public TaskFilter ofUsers(Set<String> only) {
    return with(only, created);
  }

  /** The same for tasks whose numbers were made before this time alone, in epoch ms. */
  public TaskFilter madeBefore(long ms) {
    return with(users, created.and(Span.before(ms)));
  }

  private TaskFilter with(Set<String> newUsers, Span newCreated) {
    return new TaskFilter(
        ids,
        jobId,
        types,
        statuses,
        stages,
        newUsers,
        workers,
        texts,
        newCreated,
        due,
        retriesAbove,
        retriesBelow);
  }

  /** Whether a row with its contents has one of the texts, if there are any. */
  public boolean fitsTexts(TaskRow row) {
    return texts.isEmpty()
        || Stream.of(row.context(), row.result(), row.scheduleLog())
            .filter(Objects::nonNull)
            .anyMatch(content -> texts.stream().anyMatch(content::contains));
  }

  /** Whether nothing is said of the tasks. */
  public boolean isAll() {
    return ids.isEmpty()
        && jobId == null
        && types.isEmpty()
        && statuses.isEmpty()
        && stages.isEmpty()
        && users.isEmpty()
        && workers.isAll()
        && texts.isEmpty()
        && created.isAlways()
        && due.isAlways()
        && retriesAbove == null
        && retriesBelow == null;
  }

  /** The first number that fits. */
  public long lowest() {
    return NumberTime.firstAt(created.from());
  }

  /** The first number that is too high. */
  public long beyond() {
    return NumberTime.firstAt(created.to());
  }

  /** Whether a row fits, but for the texts. */
  public boolean fits(TaskRow row) {
    long number = row.id().number();
    return takes(types, row.id().type())
        && takes(ids, row.id())
        && (jobId == null || row.place() != null && row.place().jobId() == jobId)
        && takes(statuses, row.status())
        && takes(stages, row.stage())
        && takes(users, row.userId())
        && (workers.isAll() || workers.contains(row.workerId()))
        && number >= lowest()
        && number < beyond()
        && due.contains(row.orderTime())
        && (retriesAbove == null || row.crtRetryNum() > retriesAbove)
        && (retriesBelow == null || row.crtRetryNum() < retriesBelow);
  }

  private static <T> boolean takes(Set<T> wanted, T value) {
    return wanted.isEmpty() || wanted.contains(value);
  }
}
