package io.asyncflow.flowsvr.task.event.log;

import io.asyncflow.api.event.Event;

/**
 * A row of the log.
 *
 * @param time epoch ms
 */
public record LoggedEvent(long id, long time, Event event) {}
