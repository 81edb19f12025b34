package io.asyncflow.flowsvr.task.event;

import io.asyncflow.api.event.Event;

/**
 * An event, and the cursor with which a listener that has received it misses nothing afterwards.
 */
public record ReadEvent(Event event, long cursor) {}
