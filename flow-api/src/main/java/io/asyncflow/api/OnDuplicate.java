package io.asyncflow.api;

/** What a create does if a task stands under its idempotency key. */
public enum OnDuplicate {
  /** Returns the task if it was created with the same body; another body is refused with 8052. */
  SAME,
  /** Returns the task, whatever its body. */
  KEEP,
  /** Gives a waiting task the new body and due time; returns any other task unchanged. */
  REPLACE,
  /** Lets a final task wait again, with the new body; returns any other task unchanged. */
  RERUN
}
