package io.asyncflow.dev.text;

import io.asyncflow.api.worker.Worker;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Workers as lines: many in a table, or one with all that is known of it. */
public final class WorkerText {
  private WorkerText() {}

  /** One line a worker, below a line of heads. */
  public static List<String> table(List<Worker> workers, TimeText times) {
    TextTable table = new TextTable("WORKER", "STATE", "HOLDS", "HOST", "STAGES", "LAST SIGN");
    for (Worker worker : workers) {
      table.add(
          worker.workerId(),
          worker.state(),
          Integer.toString(worker.heldTasks()),
          worker.host(),
          value(described(worker).get("stages")),
          times.of(worker.lastBeat()));
    }
    return table.lines();
  }

  /** All that is known of a worker. */
  public static List<String> sheet(Worker worker, TimeText times) {
    List<String> tooOld = worker.tooOldFor() == null ? List.of() : worker.tooOldFor();
    Sheet sheet =
        new Sheet(worker.workerId())
            .line("state", worker.state())
            .line("holds", worker.heldTasks() + " tasks")
            .line("host", worker.host())
            .line("sdk", worker.sdkVersion())
            .line("too old for", String.join(", ", tooOld))
            .line("first beat", times.of(worker.firstBeat()))
            .line("last sign", times.of(worker.lastBeat()));
    described(worker).forEach((name, value) -> sheet.line(name, value(value)));
    return sheet.lines();
  }

  private static Map<String, Object> described(Worker worker) {
    return worker.description() == null ? Map.of() : worker.description();
  }

  /** Any value that a worker may say of itself. */
  private static String value(Object value) {
    if (value instanceof Collection<?> values) {
      return values.stream().map(WorkerText::value).collect(Collectors.joining(", "));
    }
    if (value instanceof Map<?, ?> values) {
      return values.entrySet().stream()
          .map(entry -> entry.getKey() + "=" + value(entry.getValue()))
          .collect(Collectors.joining(", "));
    }
    return value == null ? "" : value.toString();
  }
}
