package io.asyncflow.systemtest.worker;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.systemtest.history.Act;
import io.asyncflow.systemtest.history.Event;
import io.asyncflow.systemtest.history.Phase;
import io.asyncflow.systemtest.history.Recorder;
import io.asyncflow.systemtest.history.RecordingFlowClient;
import io.asyncflow.worker.Worker;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import tools.jackson.databind.json.JsonMapper;

/** A worker process whose handlers obey their tasks; {@link #PLAN} has its {@link WorkerPlan}. */
public final class ScriptedWorker {

  /** What it prints when it polls. */
  public static final String READY = "scripted worker is ready";

  /** The environment variable with the plan as JSON. */
  public static final String PLAN = "SCRIPTED_WORKER_PLAN";

  private static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(3);

  private ScriptedWorker() {}

  public static void main(String[] arguments) {
    WorkerPlan plan = JsonMapper.builder().build().readValue(System.getenv(PLAN), WorkerPlan.class);
    // A new one at each start, as the SDK has it where nothing is configured.
    String workerId = plan.workerId() + "-" + ProcessHandle.current().pid();
    Recorder recorder = Recorder.open(Path.of(plan.history()), workerId);
    URI url = URI.create(plan.url());
    Worker.Builder builder =
        Worker.builder()
            .client(
                new RecordingFlowClient(
                    new MortalFlowClient(new HttpFlowClient(url, null), plan.crashPoint()),
                    new HttpFlowClient(url, null, HEARTBEAT_TIMEOUT),
                    recorder))
            .redis(plan.redisUrl())
            .workerId(workerId)
            .spoolDir(Path.of(plan.history()).resolve("spool"))
            .threads(plan.threads())
            .prefetch(plan.prefetch())
            .shutdownGrace(Duration.ofMillis(plan.graceMs()))
            .whenDrained(() -> System.exit(0))
            .stopsWithTheJvm(true);
    ScriptedStage handler = new ScriptedStage(recorder, plan.crashPoint());
    Fleet fleet = plan.fleet();
    fleet.labels().forEach(builder::label);
    fleet.slots().forEach(builder::slots);
    for (String stage : Script.STAGES) {
      builder.handler(plan.taskType(), stage, handler, fleet.needsOf(stage));
    }
    recorder.record(
        recorder.newCall(),
        Event.draft(Act.WORKER, Phase.OK)
            .worker(workerId)
            .text(String.join(",", fleet.labels().keySet()))
            .slot(fleet.devices()));
    ScriptedJob job = new ScriptedJob(recorder);
    builder.splitter(plan.taskType(), job).merger(plan.taskType(), job).build().start();
    System.out.println(READY);
    awaitEndOfParent();
  }

  /** The parent holds the other end of standard input; however it ends, the system closes that. */
  private static void awaitEndOfParent() {
    try {
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      System.out.println("standard input failed, which is an end of it too: " + e);
    }
    System.exit(0);
  }
}
