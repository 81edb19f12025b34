package io.asyncflow.bench.bed;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskTypeSettings;
import java.util.List;
import java.util.stream.IntStream;

/** The tasks that every contender creates: alike, with 300 bytes of context. */
public final class Workload {

  /** Bytes of context. */
  public static final int CONTEXT_SIZE = 300;

  /** The one stage of a task's life. */
  public static final String STAGE = "run";

  /** Users that tasks belong to, so that the user index has something to do. */
  static final int USERS = 100;

  private static final String NUMBER = "{\"number\":";
  private static final String TEXT = ",\"text\":\"";
  private static final String TAIL = "\"}";
  private static final String PADDING = "x".repeat(CONTEXT_SIZE);

  private Workload() {}

  /** The settings of a type that are not the server's defaults: none, but many tasks a hold. */
  public static TaskTypeSettings type(String name, int tasksPerHold) {
    return TaskTypeSettings.named(name).withScheduleLimit(tasksPerHold);
  }

  /** A type whose first table never has a successor, however many rows are put into it. */
  public static TaskTypeSettings unrolledType(String name) {
    return TaskTypeSettings.named(name).withRollThreshold(1_000_000_000L);
  }

  /** A type with many tables, each dropped a day after it was drained. */
  public static TaskTypeSettings rollingType(String name, int tasksPerHold, long rollThreshold) {
    return TaskTypeSettings.named(name)
        .withScheduleLimit(tasksPerHold)
        .withRollThreshold(rollThreshold)
        .withRetentionDays(1);
  }

  /** What {@link #numberOf} finds again, padded to {@value #CONTEXT_SIZE} bytes. */
  public static String context(int number) {
    String head = NUMBER + number + TEXT;
    return head + PADDING.substring(0, CONTEXT_SIZE - head.length() - TAIL.length()) + TAIL;
  }

  /** The number of the task that has this context. */
  public static int numberOf(String context) {
    return Integer.parseInt(context, NUMBER.length(), context.indexOf(',', NUMBER.length()), 10);
  }

  public static NewTask task(String type, int number) {
    return NewTask.of(type, STAGE, user(number), context(number));
  }

  public static List<NewTask> tasks(String type, int from, int to) {
    return IntStream.range(from, to).mapToObj(number -> task(type, number)).toList();
  }

  /** The report that ends one, as a client without the SDK writes it. */
  public static Report success(Task task) {
    return Report.of(task.taskId(), task.workerId(), task.leaseEpoch(), Outcome.SUCCESS);
  }

  public static String user(int number) {
    return "user-" + number % USERS;
  }
}
