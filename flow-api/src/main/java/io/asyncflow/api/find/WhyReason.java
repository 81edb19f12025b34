package io.asyncflow.api.find;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;

/**
 * A reason.
 *
 * @param code such as {@code NO_WORKER}
 * @param blocking whether it alone keeps the task from running
 * @param data what was seen, by names
 * @param until epoch milliseconds at which it ends by itself; {@code null} if that is not known
 * @param todo what helps, such as {@code START_WORKER}; {@code null} if nothing need be done
 * @param text the same in a sentence
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record WhyReason(
    String code,
    boolean blocking,
    Map<String, Object> data,
    Long until,
    String todo,
    String text) {}
