package io.asyncflow.console.frame;

import java.util.List;

/**
 * A place of the navigation.
 *
 * @param name of its page and of its icon
 * @param verb that its calls need
 * @param key that leads to it, after {@code g}
 */
public record Place(String name, String verb, String key) {

  private static final List<Place> ALL =
      List.of(
          new Place("overview", "STATS_READ", "o"),
          new Place("tasks", "TASK_READ", "t"),
          new Place("failures", "STATS_READ", "f"),
          new Place("types", "TYPE_READ", "y"),
          new Place("jobs", "JOB_READ", "j"),
          new Place("workers", "WORKER_READ", "w"),
          new Place("schedules", "SCHEDULE_READ", "s"),
          new Place("bulk", "BULK", "b"),
          new Place("cluster", "GOVERN_READ", "c"),
          new Place("audit", "AUDIT_READ", "a"));

  public static List<Place> all() {
    return ALL;
  }

  /** Of its page, within the console. */
  public String path() {
    return name.equals("overview") ? "" : "/" + name;
  }

  public boolean isFor(Frame frame) {
    return frame.may(verb);
  }
}
