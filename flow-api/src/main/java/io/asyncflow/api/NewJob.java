package io.asyncflow.api;

import java.util.List;

/**
 * A job to be created: one that a split divides, a team, or one with the children given here.
 *
 * @param userId the user that the job is for, at most 128 characters
 * @param jobType the task type of its split and its merge, matched without regard to case
 * @param jobInput the input of the split; the whole request has at most 16 MiB
 * @param priority seconds of head start of all its tasks, 0 to 31,536,000; {@code null} is 0
 * @param idempotencyKey the same key and body give the same job id; at most 128 printable ASCII
 * @param failurePolicy {@code null} is {@link FailurePolicy#FINISH}
 * @param childType the task type of its children; {@code null} is {@code jobType}
 * @param window the most children that are tasks without having ended, 1 to 100,000: the next ones
 *     become tasks as these end; {@code null} is no limit
 * @param team a copy of one task for each of some workers, in place of a split; {@code null} for
 *     none
 * @param children 1 to 1,000 children, in place of a split; {@code null} for none
 * @param merge whether a merge combines the results of the children; {@code null} is true with a
 *     split, and false without
 */
public record NewJob(
    String userId,
    String jobType,
    String jobInput,
    Integer priority,
    String idempotencyKey,
    FailurePolicy failurePolicy,
    String childType,
    Integer window,
    Team team,
    List<JobChild> children,
    Boolean merge) {

  /** A job that a split divides. */
  public static NewJob of(String jobType, String userId, String jobInput) {
    return new NewJob(userId, jobType, jobInput, null, null, null, null, null, null, null, null);
  }

  /** A job of copies on distinct workers, without a merge. */
  public static NewJob ofTeam(String jobType, String userId, Team team) {
    return new NewJob(userId, jobType, null, null, null, null, null, null, team, null, null);
  }

  /** A job of these 1 to 1,000 children, without a merge. */
  public static NewJob ofChildren(String jobType, String userId, List<JobChild> children) {
    List<JobChild> copy = List.copyOf(children);
    return new NewJob(userId, jobType, null, null, null, null, null, null, null, copy, null);
  }

  /** Whether a split makes its children. */
  public boolean hasSplit() {
    return team == null && children == null;
  }

  /** Whether a merge combines the results of its children. */
  public boolean merges() {
    return merge == null ? hasSplit() : merge;
  }

  /** The same with another input. */
  public NewJob withJobInput(String input) {
    return with("jobInput", input);
  }

  /** The same with another team. */
  public NewJob withTeam(Team newTeam) {
    return with("team", newTeam);
  }

  /** The same with another list of children. */
  public NewJob withChildren(List<JobChild> newChildren) {
    return with("children", newChildren);
  }

  public NewJob withIdempotencyKey(String key) {
    return with("idempotencyKey", key);
  }

  public NewJob withFailurePolicy(FailurePolicy policy) {
    return with("failurePolicy", policy);
  }

  public NewJob withChildType(String type) {
    return with("childType", type);
  }

  public NewJob withPriority(int seconds) {
    return with("priority", seconds);
  }

  /** The same with at most this many of its children in flight. */
  public NewJob withWindow(int most) {
    return with("window", most);
  }

  /** The same without its input and the contexts of its children. */
  public NewJob withoutContents() {
    return with("jobInput", null)
        .with("team", team == null ? null : team.withoutContext())
        .with(
            "children",
            children == null
                ? null
                : children.stream().map(child -> child.withTaskContext(null)).toList());
  }

  /** The same with a merge, or without one. */
  public NewJob withMerge(boolean merges) {
    return with("merge", merges);
  }

  private NewJob with(String component, Object value) {
    return RecordCopy.with(this, component, value);
  }
}
