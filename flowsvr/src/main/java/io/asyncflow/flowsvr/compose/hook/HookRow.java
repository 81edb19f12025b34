package io.asyncflow.flowsvr.compose.hook;

import io.asyncflow.flowsvr.edge.access.Scoped;
import java.util.List;
import java.util.Set;

/**
 * A hook, a row of {@code t_hook}.
 *
 * @param name {@code null} if it is deleted
 * @param taskTypes the types whose events it wants; empty for all
 * @param kinds the kinds of events that it wants; empty for all
 * @param oldSecret the secret before {@code secret}; {@code null} if there is none that still signs
 * @param oldSecretEnd epoch ms until which the old secret signs
 * @param cursor the id of the last event that was looked at for it
 * @param failSince epoch ms of the first failure after the last success; {@code null} after a
 *     success
 * @param lastError of the last failure; may be empty
 * @param now epoch ms on the database's clock when the row was read
 */
record HookRow(
    long id,
    String name,
    String url,
    Set<String> taskTypes,
    Set<String> kinds,
    StoredHookState state,
    HookSecret secret,
    HookSecret oldSecret,
    long oldSecretEnd,
    long cursor,
    Long failSince,
    String lastError,
    long createTime,
    long modifyTime,
    long now) {

  /** The id in answers. */
  String hookId() {
    return Long.toString(id);
  }

  /** A hook is told of the tasks of all users. */
  Scoped scoped() {
    return Scoped.ofAllUsers(taskTypes);
  }

  String stage() {
    return HookTasks.stage(id);
  }

  /** The secrets that sign an attempt at this moment, the newest first. */
  List<HookSecret> secrets(long atMs) {
    return oldSecret == null || atMs >= oldSecretEnd ? List.of(secret) : List.of(secret, oldSecret);
  }

  /** For logs: its id and its name, which caller and log have in common. */
  @Override
  public String toString() {
    return "hook " + id + " (" + name + ")";
  }
}
