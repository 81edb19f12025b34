package io.asyncflow.flowsvr.task.row;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.StoreKey;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Scoped;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.rules.TaskId;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/**
 * Which objects of the context store a text may name. Whoever reads a context, a result or an input
 * opens what it names with rights of its own, which may go further than those of the writer. So a
 * caller may name what it could read itself, and what the task of the text has or names already.
 * Asked wherever a text of a caller comes in. Thread-safe.
 */
@Component
public class NamedObjects {

  private final TaskAuthorization reach;

  NamedObjects(TaskAuthorization reach) {
    this.reach = reach;
  }

  /**
   * Returns if the texts name no object beyond the caller's rights.
   *
   * @param texts may contain {@code null}
   * @param own the task in whose name the texts are written; {@code null} if there is none yet
   * @throws FlowException with {@link ErrorCode#NO_SUCH_OBJECT} if they do, whether or not there is
   *     such an object
   */
  public void require(Stream<String> texts, TaskId own, Caller caller) {
    if (!caller.isScoped()) {
      return;
    }
    List<StoreKey> keys =
        texts
            .filter(Objects::nonNull)
            .flatMap(text -> StoreKey.allIn(text).stream())
            .filter(key -> own == null || !key.taskId().equals(own.toString()))
            .distinct()
            .toList();
    if (keys.isEmpty()) {
      return;
    }
    Set<TaskId> reached =
        caller.may(Verb.STORE_GET)
            ? reach.reached(
                keys.stream().flatMap(key -> TaskId.parse(key.taskId()).stream()).toList(), caller)
            : Set.of();
    List<StoreKey> beyond =
        keys.stream()
            .filter(key -> TaskId.parse(key.taskId()).filter(reached::contains).isEmpty())
            .toList();
    if (!beyond.isEmpty()) {
      requireInherited(beyond, own);
    }
  }

  /**
   * Returns if the caller may create these tasks, as far as they say so themselves. For whose task
   * a key stands is judged where its row is locked.
   *
   * @param reported the task whose report creates them; {@code null} for none
   * @throws io.asyncflow.flowsvr.edge.access.OutOfScopeException if a type or a user is beyond its
   *     scope
   */
  public void require(List<TaskDraft> drafts, TaskId reported, Caller caller) {
    if (caller.isScoped()) {
      drafts.forEach(task -> caller.require(Scoped.of(task.userId(), task.type().name())));
      require(drafts.stream().map(TaskDraft::context), reported, caller);
    }
  }

  /** As {@link #require(Stream, TaskId, Caller)}, of all texts of a job that is to be created. */
  public void require(NewJob job, Caller caller) {
    require(
        Stream.concat(
            Stream.of(job.jobInput(), job.team() == null ? null : job.team().taskContext()),
            job.children() == null ? Stream.of() : contextsOf(job.children())),
        null,
        caller);
  }

  /** The contexts of children. */
  public static Stream<String> contextsOf(List<JobChild> children) {
    return children.stream().map(JobChild::taskContext);
  }

  private void requireInherited(List<StoreKey> keys, TaskId own) {
    Set<StoreKey> inherited =
        own == null ? Set.of() : Set.copyOf(StoreKey.allIn(reach.contextOf(own)));
    keys.stream()
        .filter(key -> !inherited.contains(key))
        .findFirst()
        .ifPresent(
            key -> {
              throw new FlowException(ErrorCode.NO_SUCH_OBJECT, "there is no object " + key);
            });
  }
}
