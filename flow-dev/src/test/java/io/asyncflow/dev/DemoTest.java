package io.asyncflow.dev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class DemoTest {
  private static final Path TEXT = Path.of("/texts/demo.txt");
  private static final Path OUTPUT = Path.of("/speech");

  private final ScriptedFlow flow = new ScriptedFlow();
  private final CompletableFuture<String> failure = new CompletableFuture<>();
  private final List<String> shown = new ArrayList<>();
  private final Demo demo = new Demo(flow, failure, new Recorded());

  @Test
  void taskNamesTheFilesAndItsResultIsTheSpeech() {
    flow.answers("{}", TaskStatus.WAITING, null);
    flow.answers("{\"paragraphs\":2,\"spoken\":1}", TaskStatus.EXECUTING, null);
    flow.answers(
        "{\"paragraphs\":2,\"spoken\":2}",
        TaskStatus.SUCCESS,
        "{\"wav\":\"/speech/a.wav\",\"seconds\":12.3,\"paragraphs\":2}");

    assertThat(demo.speak(TEXT, OUTPUT))
        .isEqualTo(new Demo.Speech(Path.of("/speech/a.wav"), 12.3, 2));
    assertThat(flow.created)
        .isEqualTo(
            NewTask.of(
                "tts",
                "split",
                "demo",
                "{\"textFile\":\"/texts/demo.txt\",\"outputDir\":\"/speech\"}"));
    assertThat(shown).containsExactly("1 of 2", "2 of 2", "2 of 2", "end");
  }

  @Test
  void failedTaskIsToldWithTheHandlersWords() {
    flow.log =
        "{\"lastData\":{\"errMsg\":\"io.asyncflow.worker.NonRetryableException: Paragraph 2 has"
            + " letters that are not English.\\n  at io.asyncflow.example.tts.Split\"}}";
    flow.answers("{}", TaskStatus.FAILED, null);
    assertThatThrownBy(() -> demo.speak(TEXT, OUTPUT))
        .hasMessage("The text was not spoken: Paragraph 2 has letters that are not English.");
  }

  @Test
  void failedTaskWithoutALogIsToldToo() {
    flow.answers("not json", TaskStatus.FAILED, null);
    assertThatThrownBy(() -> demo.speak(TEXT, OUTPUT))
        .hasMessage("The text was not spoken: flowsvr does not say why.");
  }

  @Test
  void deadWorkerEndsTheWait() {
    failure.complete("worker-example ended with exit code 1; its log is /logs/worker.log.");
    flow.answers("{}", TaskStatus.WAITING, null);
    assertThatThrownBy(() -> demo.speak(TEXT, OUTPUT))
        .hasMessage("worker-example ended with exit code 1; its log is /logs/worker.log.");
  }

  private final class Recorded implements SpeechProgress {
    @Override
    public void show(int spoken, int paragraphs) {
      shown.add(spoken + " of " + paragraphs);
    }

    @Override
    public void end() {
      shown.add("end");
    }
  }

  /** Answers each getTask with the next line of a script, and the last one for ever. */
  private static final class ScriptedFlow implements FlowClient {
    private final List<Task> script = new ArrayList<>();
    private String log;
    private NewTask created;

    void answers(String taskContext, TaskStatus status, String result) {
      script.add(
          new Task(
              "demo",
              "1_tts_task_1",
              "tts",
              "split",
              status.code(),
              0,
              0,
              0,
              3,
              10,
              log,
              taskContext,
              0,
              script.size(),
              1,
              null,
              null,
              0,
              null,
              null,
              null,
              result));
    }

    @Override
    public String createTask(NewTask task) {
      created = task;
      return "1_tts_task_1";
    }

    @Override
    public Task getTask(String taskId) {
      return script.size() > 1 ? script.remove(0) : script.get(0);
    }

    @Override
    public List<String> createTasks(List<NewTask> tasks) {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<Task> holdTasks(HoldRequest request) {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<ReportResult> report(List<Report> reports) {
      throw new UnsupportedOperationException();
    }

    @Override
    public HeartbeatAnswer heartbeat(Heartbeat heartbeat) {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<TaskTypeSettings> taskTypes() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void saveTaskType(TaskTypeSettings settings) {
      throw new UnsupportedOperationException();
    }
  }
}
