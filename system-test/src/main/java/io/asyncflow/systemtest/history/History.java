package io.asyncflow.systemtest.history;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** Everything that all processes recorded, told in the order of time. */
@FunctionalInterface
public interface History {

  /** Tells every event, the earliest first. A recorded history is read as it is told. */
  void tell(Consumer<Event> listener);

  /** All events at once. */
  default List<Event> events() {
    List<Event> events = new ArrayList<>();
    tell(events::add);
    return events;
  }

  /** A history that is there already. */
  static History of(List<Event> events) {
    return listener ->
        events.stream().sorted(Comparator.comparingLong(Event::at)).forEach(listener);
  }

  /** What {@link Recorder}s have written to a directory so far, closed or not. */
  static History in(Path directory) {
    return new RecordedHistory(directory);
  }
}
