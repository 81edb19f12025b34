package io.asyncflow.worker.internal.stage;

import io.asyncflow.api.JobTask;
import io.asyncflow.api.JobTaskPage;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.codec.Field;
import io.asyncflow.api.codec.Field.Kind;
import io.asyncflow.rules.TaskId;
import io.asyncflow.worker.ChildResult;
import io.asyncflow.worker.JobMerger;
import io.asyncflow.worker.MergeContext;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageHandler;
import java.util.Objects;
import java.util.stream.Stream;

/** One run of a merger, with the results of the children. */
final class MergeRun extends RunOfJob implements MergeContext {

  private static final int PAGE = 500;

  private MergeRun(StageContext context) {
    super(context);
  }

  /** The merger as the handler of its stage. */
  static StageHandler handlerOf(JobMerger merger) {
    return context -> merger.merge(new MergeRun(context));
  }

  @Override
  public Stream<ChildResult> children() {
    return Stream.iterate(page(null), Objects::nonNull, this::pageAfter)
        .flatMap(page -> page.taskList().stream())
        .map(this::resultOf);
  }

  private JobTaskPage pageAfter(JobTaskPage page) {
    return page.nextCursor() == null ? null : page(page.nextCursor());
  }

  private JobTaskPage page(String cursor) {
    return RepeatedCall.uninterrupted(
        this, () -> run().jobs().getJobTasks(ownJobId(), PAGE, cursor));
  }

  /** All children have succeeded when a merge begins; only an operator can change that. */
  private ChildResult resultOf(JobTask child) {
    if (!Integer.valueOf(TaskStatus.SUCCESS.code()).equals(child.status())) {
      throw new IllegalStateException(
          "child " + child.index() + " (" + child.taskId() + ") has the status " + child.status());
    }
    if (child.result() == null) {
      return new ChildResult(child.index(), child.taskId(), "");
    }
    String type = TaskId.parse(child.taskId()).orElseThrow().type().name();
    Field field = Field.of(Kind.RESULT, type, userId());
    String result = run().sealing().open(field, run().textOf(child.result()));
    return new ChildResult(child.index(), child.taskId(), result);
  }
}
