package io.asyncflow.bench;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskTypeSettings;
import java.util.List;
import java.util.stream.IntStream;

/** The tasks that every contender creates: alike, with 300 bytes of context. */
final class Workload {

  /** Bytes of context. */
  static final int CONTEXT_SIZE = 300;

  /** The one stage of a task's life. */
  static final String STAGE = "run";

  /** Users that tasks belong to, so that the user index has something to do. */
  private static final int USERS = 100;

  private static final String CONTEXT = context();

  private Workload() {}

  /** The settings of a type that are not the server's defaults: none, but many tasks a hold. */
  static TaskTypeSettings type(String name, int tasksPerHold) {
    return new TaskTypeSettings(
        name,
        tasksPerHold,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  static NewTask task(String type, int number) {
    return NewTask.of(type, STAGE, user(number), CONTEXT);
  }

  static List<NewTask> tasks(String type, int from, int to) {
    return IntStream.range(from, to).mapToObj(number -> task(type, number)).toList();
  }

  static String user(int number) {
    return "user-" + number % USERS;
  }

  static String context() {
    String head = "{\"text\":\"";
    String tail = "\"}";
    return head + "x".repeat(CONTEXT_SIZE - head.length() - tail.length()) + tail;
  }
}
