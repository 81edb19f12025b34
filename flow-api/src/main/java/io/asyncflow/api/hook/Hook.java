package io.asyncflow.api.hook;

import java.util.Set;

/**
 * A hook. Its secret is in no answer but the one to the call that made it.
 *
 * @param taskTypes the types whose events it wants; empty for all
 * @param kinds the names of the kinds of events that it wants; empty for all
 * @param cursor the last event for which deliveries were made, if it wanted any
 * @param oldSecretEnd epoch ms until which the secret before the last rotation signs, too; {@code
 *     null} if it does not
 * @param failSince epoch ms of the first failure after the last success; {@code null} after a
 *     success
 * @param lastError of the last failure; {@code null} if there was none
 * @param createTime epoch ms
 * @param modifyTime epoch ms
 */
public record Hook(
    String hookId,
    String name,
    String url,
    Set<String> taskTypes,
    Set<String> kinds,
    HookState state,
    String cursor,
    Long oldSecretEnd,
    Long failSince,
    String lastError,
    long createTime,
    long modifyTime) {}
