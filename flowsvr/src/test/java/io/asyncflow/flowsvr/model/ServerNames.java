package io.asyncflow.flowsvr.model;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.RecordCopy;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskTypeSettings;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What one sequence's labels and times are called on the server, in both directions. */
final class ServerNames {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final String sequence;
  private final long startMs;
  private final Map<String, String> types = new LinkedHashMap<>();
  private final Map<String, String> ids = new HashMap<>();
  private final Map<String, String> labels = new HashMap<>();
  private final Map<String, String> traces = new HashMap<>();
  private final Map<String, Integer> lastEpochs = new HashMap<>();

  /**
   * @param sequence no other sequence on this server has this name
   * @param startMs the epoch millisecond that is 0 to the sequence
   */
  ServerNames(String sequence, long startMs) {
    this.sequence = sequence;
    this.startMs = startMs;
  }

  String type(String label) {
    return types.computeIfAbsent(label, l -> sequence + l);
  }

  Collection<String> typesUsed() {
    return types.values();
  }

  String user(String label) {
    return own(label);
  }

  String worker(String label) {
    return own(label);
  }

  List<String> workers(List<String> labels) {
    return labels == null ? null : labels.stream().map(this::worker).toList();
  }

  private String own(String label) {
    return label == null || label.isEmpty() ? label : sequence + label;
  }

  Long toServerTime(Long time) {
    return time == null ? null : startMs + time;
  }

  NewTask toServer(NewTask task) {
    return new NewTask(
        user(task.userId()),
        type(task.taskType()),
        task.taskStage(),
        task.scheduleLog(),
        task.taskContext(),
        task.priority(),
        task.delayMs(),
        toServerTime(task.runAt()),
        task.maxRetryNum(),
        task.maxRetryInterval(),
        task.maxUnexpectedRetries(),
        task.idempotencyKey(),
        task.onDuplicate(),
        task.keyMs(),
        task.keyUntilDone(),
        workers(task.workerIds()),
        task.traceParent());
  }

  TaskTypeSettings toServer(TaskTypeSettings settings) {
    return RecordCopy.with(settings, "taskType", type(settings.taskType()));
  }

  /** The label of a created task: the one given now, unless the id has one already. */
  String created(String label, String id) {
    if (!labels.containsKey(id)) {
      labels.put(id, label);
      ids.put(label, id);
    }
    return labels.get(id);
  }

  /** The task's id, or one that no task has. */
  String id(String label) {
    String someType = types.values().stream().findFirst().orElseGet(() -> type("none"));
    return ids.getOrDefault(label, Long.MAX_VALUE + "_" + someType + "_task_1");
  }

  String label(String id) {
    return labels.getOrDefault(id, "an unknown task");
  }

  void held(String id, int epoch) {
    lastEpochs.put(id, epoch);
  }

  int epoch(String label, int epochsBehind) {
    return Command.epoch(lastEpochs.getOrDefault(id(label), 0), epochsBehind);
  }

  static int tableOf(String id) {
    return Integer.parseInt(id.substring(id.lastIndexOf('_') + 1));
  }

  TaskView seen(Task task) {
    return new TaskView(
        label(task.taskId()),
        tableOf(task.taskId()),
        withoutSequence(task.taskType()),
        withoutSequence(task.userId()),
        task.taskStage(),
        task.status(),
        task.priority(),
        task.orderTime() - startMs,
        task.crtRetryNum(),
        task.maxRetryNum(),
        task.maxRetryInterval(),
        task.unexpectedNum(),
        task.maxUnexpectedRetries(),
        log(task.scheduleLog()),
        task.taskContext(),
        task.createTime() - startMs,
        task.leaseEpoch(),
        task.leaseMs(),
        withoutSequence(task.workerId()),
        task.deliveryCount(),
        trace(task.traceId()),
        task.progress(),
        task.result());
  }

  List<String> workersSeen(Task task) {
    return task.workerIds() == null
        ? List.of()
        : task.workerIds().stream().map(this::withoutSequence).toList();
  }

  private String withoutSequence(String name) {
    return name != null && name.startsWith(sequence) ? name.substring(sequence.length()) : name;
  }

  /** Traces are numbered in the order in which they are first seen. */
  private String trace(String id) {
    return id == null ? null : traces.computeIfAbsent(id, i -> "h" + (traces.size() + 1));
  }

  private String log(String text) {
    try {
      JsonNode log = text.isEmpty() ? null : JSON.readTree(text);
      if (log != null && log.has("lastData")) {
        List<EndedHold> history =
            StreamSupport.stream(log.path("historyDatas").spliterator(), false)
                .map(this::endedHold)
                .toList();
        return EndedHold.show(endedHold(log.path("lastData")), history);
      }
    } catch (JacksonException e) {
      // a client's own words
    }
    return text;
  }

  private EndedHold endedHold(JsonNode entry) {
    String cost = entry.path("cost").asString();
    return new EndedHold(
        trace(entry.path("traceId").asString()),
        verdict(entry.path("errMsg").asString()),
        Long.parseLong(cost.substring(0, cost.length() - "ms".length())));
  }

  /** The server chooses the words of a verdict; the contract only wants two different ones. */
  private static String verdict(String message) {
    if (message.contains("worker lost")) {
      return EndedHold.LOST;
    }
    return message.contains("timed out") ? EndedHold.TIMED_OUT : message;
  }
}
