package io.asyncflow.dev.text;

import io.asyncflow.api.Task;
import io.asyncflow.api.find.HistoryEntry;
import io.asyncflow.api.find.RunningTask;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Tasks as lines, below a line of heads. */
public final class TaskText {
  private TaskText() {}

  /** One line a task. */
  public static List<String> table(List<Task> tasks, TimeText times) {
    TextTable table = new TextTable("TASK", "STATUS", "STAGE", "USER", "DUE", "FAILURES", "WORKER");
    for (Task task : tasks) {
      table.add(
          task.taskId(),
          task.taskStatus().name(),
          task.taskStage(),
          task.userId(),
          times.of(task.orderTime()),
          Integer.toString(task.crtRetryNum()),
          task.workerId());
    }
    return table.lines();
  }

  /** One line an executing task. */
  public static List<String> running(List<RunningTask> tasks, TimeText times) {
    TextTable table =
        new TextTable("TASK", "STAGE", "WORKER", "HELD", "FOR", "LEASE", "LAST BEAT", "PROGRESS");
    for (RunningTask task : tasks) {
      table.add(
          task.taskId(),
          task.taskStage(),
          task.workerId(),
          times.of(task.holdTime()),
          TimeText.ofDuration(task.elapsedMs()),
          TimeText.ofDuration(task.leaseMs()),
          task.beatAgeMs() == null ? null : TimeText.ofDuration(task.beatAgeMs()) + " ago",
          task.progress() == null ? null : task.progress() + " %");
    }
    return table.lines();
  }

  /** One line an entry of a task's history. */
  public static List<String> history(List<HistoryEntry> entries, TimeText times) {
    TextTable table =
        new TextTable("TIME", "WHAT", "STAGE", "OUTCOME", "WORKER", "TOOK", "WAITED", "WHY");
    for (HistoryEntry entry : entries) {
      table.add(
          times.of(entry.time()),
          entry.kind(),
          entry.stage(),
          joined(entry.outcome(), entry.verdict()),
          entry.workerId(),
          duration(entry.costMs()),
          duration(entry.waitMs()),
          joined(entry.errMsg(), entry.operator(), entry.reason()));
    }
    return table.lines();
  }

  private static String duration(Long ms) {
    return ms == null ? null : TimeText.ofDuration(ms);
  }

  private static String joined(String... texts) {
    return Stream.of(texts)
        .filter(Objects::nonNull)
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(", "));
  }
}
