package io.asyncflow.api.event;

import java.util.List;

/**
 * A page of events, oldest first.
 *
 * @param cursor where the next page begins
 */
public record EventPage(List<Event> eventList, String cursor) {}
