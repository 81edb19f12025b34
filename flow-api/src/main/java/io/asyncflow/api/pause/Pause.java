package io.asyncflow.api.pause;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A pause: what it stops gets no tasks, while tasks are created and those that run go on.
 *
 * @param name of the type, {@code type/stage}, or the worker's id; a type in lower case
 * @param until epoch ms at which it ends by itself; {@code null} for never
 * @param operator as the caller of the pause named itself; may be empty
 * @param reason may be empty
 * @param pauseTime epoch ms since when; 0 for a type that was paused by SQL
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Pause(
    PauseKind kind, String name, Long until, String operator, String reason, long pauseTime) {}
