package io.asyncflow.rules.field;

import io.asyncflow.api.event.EventFilter;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.rules.TaskType;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What a caller wants to be told of. */
public final class EventFields {

  private static final int MAX_TYPES = 100;
  private static final int MAX_NAME = 31;
  private static final int MAX_WAIT_MS = 30_000;

  private EventFields() {}

  /** Reads the filter; it is valid only if {@code in} has no invalid field afterwards. */
  public static EventFilter filter(FieldSource in) {
    String userId = in.text("userId").name().max(TaskLimits.USER_ID).value();
    return new EventFilter(types(in), kinds(in), "".equals(userId) ? null : userId);
  }

  /**
   * Reads the cursor; {@code null} for what comes from now on.
   *
   * @param lastEventId takes precedence over the field {@code cursor}; {@code null} for none
   * @param oldest the oldest cursor that there may be
   * @param newest the newest one
   */
  public static Long cursor(FieldSource in, String lastEventId, long oldest, long newest) {
    Long cursor = in.text("cursor").as(EventFields::cursor, "is not a cursor");
    if (lastEventId != null) {
      cursor = cursor(lastEventId).orElse(null);
      if (cursor == null) {
        in.refuse("cursor", "is not a cursor, in Last-Event-ID");
      }
    }
    if (cursor != null && cursor < oldest) {
      in.refuse("cursor", "is older than the events that are kept; the oldest cursor is " + oldest);
    } else if (cursor != null && cursor > newest) {
      in.refuse("cursor", "lies in the future");
    }
    return cursor;
  }

  /** How long a list waits for the first event, in milliseconds. */
  public static int waitMs(FieldSource in) {
    return in.number("waitMs").between(0, MAX_WAIT_MS).or(0);
  }

  private static Set<String> types(FieldSource in) {
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

  private static Set<EventKind> kinds(FieldSource in) {
    Set<EventKind> kinds = EnumSet.noneOf(EventKind.class);
    for (String name : in.names("kinds").max(EventKind.values().length, MAX_NAME).values()) {
      Optional<EventKind> kind = TextField.named(EventKind.values(), name);
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
}
