package io.asyncflow.dev.command;

import io.asyncflow.api.Call;
import io.asyncflow.api.EventStream;
import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobEvent;
import io.asyncflow.api.JobProgress;
import io.asyncflow.api.JobState;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.JobTaskPage;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.Task;
import io.asyncflow.api.Transport;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;

/** A flowsvr with one job, whose events and end a test writes down beforehand. */
final class ScriptedJobs extends ForwardingFlowClient {
  private static final URI NOBODY = URI.create("http://127.0.0.1:1");

  final List<NewJob> created = new ArrayList<>();
  final Queue<JobProgress> events = new ArrayDeque<>();
  final List<JobTask> children = new ArrayList<>();
  String result;
  String errMsg;
  private JobProgress last;

  /** Whatever else it is asked finds no server. */
  ScriptedJobs() {
    super(new HttpFlowClient(NOBODY, null));
  }

  /** The next event, and the last one that this job has if its state is a final one. */
  ScriptedJobs tells(JobState state, Integer total, int done, int failed) {
    events.add(new JobProgress("7", state, total, done, failed, 0, 0, 0, null, null));
    return this;
  }

  /** The split's log says 1.5 seconds, the merge's 2.5. */
  @Override
  public Task getTask(String taskId) {
    String log = "{\"lastData\":{\"cost\":\"%s500ms\"}}".formatted(taskId.substring(0, 1));
    return new Task(
        "ann", taskId, "tts", "split", 4, 0, 0, 0, 3, 10, null, null, log, "", 0, 0, 1, null, null,
        0, null, "7", null, null, null, null, null, null, null);
  }

  @Override
  public Transport transport() {
    return new Jobs(super.transport());
  }

  private final class Jobs implements Transport {

    private final Transport nobody;

    Jobs(Transport nobody) {
      this.nobody = nobody;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T send(Call<T> call) {
      return (T)
          switch (call.path()) {
            case "/api/job/createJob" -> createJob((NewJob) call.fields().get("jobData"));
            case "/api/job/progress" -> openJobProgress();
            case "/api/job/getJob" -> getJob((String) call.fields().get("jobId"));
            case "/api/job/getJobTasks" -> new JobTaskPage(children, null);
            default -> nobody.send(call);
          };
    }

    private String createJob(NewJob job) {
      created.add(job);
      return "7";
    }

    /** Waits for ever where nothing more is written down. */
    private EventStream<JobEvent> openJobProgress() {
      return new EventStream<JobEvent>() {
        @Override
        public JobEvent next() throws InterruptedException {
          if (events.isEmpty()) {
            new CountDownLatch(1).await();
          }
          last = events.remove();
          return new JobEvent("1", last.state().isFinal(), last);
        }

        @Override
        public void close() {
          // nothing is open
        }
      };
    }

    private Job getJob(String jobId) {
      return new Job(
          jobId,
          "ann",
          "tts",
          "tts",
          last.state(),
          FailurePolicy.FINISH,
          0,
          null,
          null,
          null,
          last.total(),
          last.done(),
          last.failed(),
          0,
          "1_tts_task_1",
          "2_tts_task_1",
          result,
          errMsg,
          0,
          0,
          null,
          null,
          true,
          null);
    }
  }
}
