package io.asyncflow.api.codec;

import io.asyncflow.api.StoreKey;
import io.asyncflow.api.Task;
import java.util.Locale;
import java.util.Objects;

/**
 * What a text or an object is part of. A codec can bind the one to the other, so that nothing that
 * was moved to another place can be opened there.
 *
 * @param kind whether it is a context, a result, an input or an object
 * @param taskType in lower case
 * @param owner the user of the task or job; of an object, its key
 * @param idempotencyKey a repeated call with this key has to send the same text again; {@code null}
 *     for none, and always when the text is opened
 */
public record Field(Kind kind, String taskType, String owner, String idempotencyKey) {

  /** The kinds of texts and objects. */
  public enum Kind {
    /** The context of a task, of a child of a job, or of the copies of a team. */
    CONTEXT,
    /** The result of a task or a job. */
    RESULT,
    /** The input of a job. */
    INPUT,
    /** An object of the context store. */
    OBJECT
  }

  public Field {
    taskType = Objects.requireNonNull(taskType, "taskType").toLowerCase(Locale.ROOT);
    Objects.requireNonNull(owner, "userId");
  }

  /** A text of a task or a job of this type and user. */
  public static Field of(Kind kind, String taskType, String userId) {
    return new Field(kind, taskType, userId, null);
  }

  /** A text of this task. */
  public static Field of(Kind kind, Task task) {
    return of(kind, task.taskType(), task.userId());
  }

  /** An object of the context store. */
  public static Field ofObject(StoreKey key) {
    return of(Kind.OBJECT, key.taskType(), key.toString());
  }

  /** The same in a call that may be repeated under this key. */
  public Field withIdempotencyKey(String key) {
    return new Field(kind, taskType, owner, key);
  }
}
