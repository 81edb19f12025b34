package io.asyncflow.api.act;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;

/**
 * An act, as it was recorded.
 *
 * @param time epoch ms
 * @param act such as {@code PAUSE}
 * @param object such as {@code type:lark}
 * @param taskId {@code null} unless the object is a task
 * @param actor whom the server took the caller for, such as {@code key:3Qm81LtzGh}; {@code server}
 *     if it acted by itself
 * @param actorIp {@code null} if it is not known
 * @param source how the act came: {@code api}, {@code cli}, {@code server}
 * @param operator in whose name, as the caller said; may be empty
 * @param reason may be empty
 * @param statusBefore the code of the task's status; {@code null} as {@code taskId}
 * @param newTaskId the copy that a retry made; {@code null} if it made none
 * @param detail what changed, without contents and secrets; {@code null} for nothing
 * @param traceId of the request; may be empty
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ListedAct(
    long id,
    long time,
    String act,
    String object,
    String taskId,
    String actor,
    String actorIp,
    String source,
    String operator,
    String reason,
    Integer statusBefore,
    Integer statusAfter,
    String newTaskId,
    Map<String, Object> detail,
    String traceId) {}
