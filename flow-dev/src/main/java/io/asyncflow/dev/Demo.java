package io.asyncflow.dev;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Has a text spoken as any client of flowsvr would: creates a task, and asks how far it is until it
 * is done.
 */
final class Demo {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration STANDSTILL = Duration.ofMinutes(3);

  // Workers report a failure as Java prints it, with its class first and a stack trace after it.
  private static final Pattern EXCEPTION_NAME = Pattern.compile("^([\\w$]+\\.)+[\\w$]+: ");

  private static final JsonMapper JSON = new JsonMapper();

  private final FlowClient flow;
  private final CompletableFuture<String> failure;
  private final SpeechProgress progress;

  /**
   * Prepares a run.
   *
   * @param failure completes with a sentence when waiting on has become pointless
   */
  Demo(FlowClient flow, CompletableFuture<String> failure, SpeechProgress progress) {
    this.flow = flow;
    this.failure = failure;
    this.progress = progress;
  }

  /** What came of it. */
  record Speech(Path wav, double seconds, int paragraphs) {}

  /**
   * Has a text spoken and waits for it.
   *
   * @param text a file that the worker may read
   * @param output a directory that the worker may write
   * @throws EngineException in one sentence if there is no speech in the end
   */
  Speech speak(Path text, Path output) {
    String context =
        JSON.createObjectNode()
            .put("textFile", text.toString())
            .put("outputDir", output.toString())
            .toString();
    String taskId = flow.createTask(NewTask.of("tts", "split", "demo", context));
    try {
      return follow(taskId);
    } finally {
      progress.end();
    }
  }

  private Speech follow(String taskId) {
    Task before = null;
    long lastChange = System.nanoTime();
    while (true) {
      Task task = flow.getTask(taskId);
      showProgress(task.taskContext());
      if (task.taskStatus() == TaskStatus.SUCCESS) {
        return speech(task.result());
      }
      if (task.taskStatus().isFinal()) {
        throw new EngineException("The text was not spoken: " + reason(task));
      }
      if (before == null || task.modifyTime() != before.modifyTime()) {
        before = task;
        lastChange = System.nanoTime();
      } else if (System.nanoTime() - lastChange > STANDSTILL.toNanos()) {
        throw new EngineException(
            "Task " + taskId + " has stood still for " + STANDSTILL.toMinutes() + " minutes.");
      }
      failIfPointless();
    }
  }

  private void failIfPointless() {
    try {
      throw new EngineException(failure.get(POLL.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      // nothing has failed: ask again
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EngineException("The demo was interrupted.", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private void showProgress(String taskContext) {
    JsonNode context = read(taskContext);
    int paragraphs = context.path("paragraphs").asInt(0);
    if (paragraphs > 0) {
      progress.show(context.path("spoken").asInt(0), paragraphs);
    }
  }

  private Speech speech(String result) {
    JsonNode speech = read(result);
    int paragraphs = speech.path("paragraphs").asInt(0);
    if (paragraphs > 0) {
      progress.show(paragraphs, paragraphs);
    }
    return new Speech(
        Path.of(speech.path("wav").asString()), speech.path("seconds").asDouble(), paragraphs);
  }

  private static String reason(Task task) {
    if (task.taskStatus() == TaskStatus.CANCELLED) {
      return "somebody cancelled it.";
    }
    return read(task.scheduleLog())
        .path("lastData")
        .path("errMsg")
        .asString("")
        .lines()
        .findFirst()
        .map(line -> EXCEPTION_NAME.matcher(line).replaceFirst(""))
        .filter(line -> !line.isBlank())
        .orElse("flowsvr does not say why.");
  }

  private static JsonNode read(String json) {
    try {
      return json == null || json.isBlank() ? JSON.createObjectNode() : JSON.readTree(json);
    } catch (JacksonException e) {
      return JSON.createObjectNode();
    }
  }
}
