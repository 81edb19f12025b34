package io.asyncflow.api.event;

/**
 * An event, and where to go on after it.
 *
 * @param event {@code null} if only the cursor has moved: nothing that is wanted has happened
 * @param cursor with it a later call, at any server, misses nothing
 */
public record FollowedEvent(Event event, String cursor) {}
