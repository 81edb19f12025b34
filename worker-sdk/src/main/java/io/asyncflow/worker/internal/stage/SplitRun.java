package io.asyncflow.worker.internal.stage;

import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobChildren;
import io.asyncflow.api.codec.Field;
import io.asyncflow.api.codec.Field.Kind;
import io.asyncflow.api.codec.Sealing;
import io.asyncflow.worker.JobSplitter;
import io.asyncflow.worker.SplitContext;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageResult;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/**
 * One run of a splitter: sends its children to the server in pages, and succeeds after the last
 * one.
 */
final class SplitRun extends RunOfJob implements SplitContext {

  private static final int PAGE = 1_000;

  private String childType;

  private SplitRun(StageContext context) {
    super(context);
  }

  /** The splitter as the handler of its stage. */
  static StageHandler handlerOf(JobSplitter splitter) {
    return new Handler(splitter);
  }

  /** Runs a splitter. */
  record Handler(JobSplitter splitter) implements StageHandler {
    @Override
    public StageResult handle(StageContext context) throws Exception {
      SplitRun run = new SplitRun(context);
      try (Stream<JobChild> children = splitter.split(run)) {
        run.send(children.iterator());
      }
      return StageResult.done();
    }
  }

  private void send(Iterator<JobChild> children) throws InterruptedException {
    int sent = 0;
    while (children.hasNext()) {
      List<JobChild> page = new ArrayList<>();
      while (page.size() < PAGE && children.hasNext()) {
        page.add(inRow(sent + page.size(), children.next()));
      }
      JobChildren next = new JobChildren(taskId(), run().workerId(), leaseEpoch(), sent, page);
      RepeatedCall.of(
          this,
          () -> {
            run().jobs().addJobChildren(next);
            return null;
          });
      sent += page.size();
    }
  }

  private JobChild inRow(int index, JobChild child) throws InterruptedException {
    return child.withTaskContext(run().inRow("_child-" + index, sealed(child.taskContext())));
  }

  private String sealed(String context) {
    Sealing sealing = run().sealing();
    return sealing.isOff()
        ? context
        : sealing.seal(Field.of(Kind.CONTEXT, childType(), userId()), context);
  }

  /** The type of the children, which only the job tells. */
  private String childType() {
    if (childType == null) {
      childType =
          RepeatedCall.uninterrupted(this, () -> run().jobs().getJob(ownJobId())).childType();
    }
    return childType;
  }

  @Override
  public Reader input() {
    Reader input = RepeatedCall.uninterrupted(this, () -> run().jobs().openJobInput(ownJobId()));
    try {
      return run().sealing().opening(Field.of(Kind.INPUT, taskType(), userId()), input);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
