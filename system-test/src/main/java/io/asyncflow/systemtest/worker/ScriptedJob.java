package io.asyncflow.systemtest.worker;

import io.asyncflow.api.JobChild;
import io.asyncflow.systemtest.history.Act;
import io.asyncflow.systemtest.history.Event;
import io.asyncflow.systemtest.history.Phase;
import io.asyncflow.systemtest.history.Recorder;
import io.asyncflow.worker.ChildResult;
import io.asyncflow.worker.JobMerger;
import io.asyncflow.worker.JobSplitter;
import io.asyncflow.worker.MergeContext;
import io.asyncflow.worker.SplitContext;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageResult;
import java.util.stream.Stream;

/** Splits a job as its {@link JobScript} says, merges what came of it, and writes both down. */
record ScriptedJob(Recorder recorder) implements JobSplitter, JobMerger {

  @Override
  public Stream<JobChild> split(SplitContext job) throws Exception {
    recordStart(job);
    return JobScript.parse(job.inputText()).children().stream()
        .map(context -> job.child(Script.STAGES.get(0), context));
  }

  @Override
  public StageResult merge(MergeContext job) {
    recordStart(job);
    try (Stream<ChildResult> children = job.children()) {
      return StageResult.done(JobScript.merged(children.map(ChildResult::rawResult)));
    }
  }

  private void recordStart(StageContext run) {
    Event line =
        Event.draft(Act.RUN, Phase.INVOKE)
            .task(run.taskId())
            .epoch(run.leaseEpoch())
            .stage(run.stage());
    recorder.record(recorder.newCall(), line);
  }
}
