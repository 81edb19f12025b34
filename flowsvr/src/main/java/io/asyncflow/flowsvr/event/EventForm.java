package io.asyncflow.flowsvr.event;

import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventFilter;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.event.log.EventHistory.Cursors;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.rules.TaskType;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * What a caller wants to be told of.
 *
 * @param cursor an id; {@code null} for what comes from now on
 */
record EventForm(EventFilter filter, Long cursor) {

  private static final int MAX_TYPES = 100;
  private static final int MAX_NAME = 31;
  private static final int USER_ID = 128;

  /**
   * Reads the form; it is valid only if {@code in} has no invalid field afterwards.
   *
   * @param lastEventId takes precedence over the field {@code cursor}; {@code null} for none
   * @param kept the cursors that there may be
   */
  static EventForm read(Fields in, String lastEventId, Cursors kept) {
    String userId = in.text("userId").name().max(USER_ID).value();
    EventFilter filter = new EventFilter(types(in), kinds(in), "".equals(userId) ? null : userId);
    Long cursor = in.text("cursor").as(EventForm::cursor, "is not a cursor");
    if (lastEventId != null) {
      cursor = cursor(lastEventId).orElse(null);
      if (cursor == null) {
        in.refuse("cursor", "is not a cursor, in Last-Event-ID");
      }
    }
    return new EventForm(filter, checked(in, cursor, kept));
  }

  /**
   * The wanted events among those that the caller sees.
   *
   * @throws io.asyncflow.flowsvr.access.OutOfScopeException if the form names a type or a user that
   *     it does not see
   */
  Predicate<Event> seenBy(Caller caller) {
    if (!caller.isScoped()) {
      return filter::matches;
    }
    filter.taskTypes().forEach(caller::requireType);
    if (filter.userId() != null) {
      caller.requireUser(filter.userId());
    }
    return event ->
        filter.matches(event)
            && caller.sees(event.taskType(), event.userId() == null ? "" : event.userId());
  }

  private static Set<String> types(Fields in) {
    Set<String> types = new TreeSet<>();
    for (String name : in.names("taskTypes").max(MAX_TYPES, MAX_NAME).values()) {
      Optional<TaskType> type = TaskType.parse(name);
      if (type.isEmpty()) {
        in.refuse("taskTypes", "must name task types");
        return Set.of();
      }
      types.add(type.get().name());
    }
    return types;
  }

  private static Set<EventKind> kinds(Fields in) {
    Set<EventKind> kinds = EnumSet.noneOf(EventKind.class);
    for (String name : in.names("kinds").max(EventKind.values().length, MAX_NAME).values()) {
      Optional<EventKind> kind =
          Arrays.stream(EventKind.values()).filter(one -> one.name().equals(name)).findFirst();
      if (kind.isEmpty()) {
        in.refuse("kinds", "must be of " + Arrays.toString(EventKind.values()));
        return Set.of();
      }
      kinds.add(kind.get());
    }
    return kinds;
  }

  private static Optional<Long> cursor(String text) {
    return text.matches("[0-9]{1,18}") ? Optional.of(Long.parseLong(text)) : Optional.empty();
  }

  private static Long checked(Fields in, Long cursor, Cursors kept) {
    if (cursor != null && cursor < kept.oldest()) {
      in.refuse(
          "cursor",
          "is older than the events that are kept; the oldest cursor is " + kept.oldest());
    } else if (cursor != null && cursor > kept.newest()) {
      in.refuse("cursor", "lies in the future");
    }
    return cursor;
  }
}
