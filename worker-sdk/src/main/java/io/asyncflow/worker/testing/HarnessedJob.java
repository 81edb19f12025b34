package io.asyncflow.worker.testing;

import io.asyncflow.worker.ChildResult;
import io.asyncflow.worker.MergeContext;
import io.asyncflow.worker.SplitContext;
import io.asyncflow.worker.internal.stage.ForwardingContext;
import java.io.Reader;
import java.io.StringReader;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A run of a splitter or a merger in a {@link StageHarness}. */
final class HarnessedJob extends ForwardingContext implements SplitContext, MergeContext {

  private final String input;
  private final List<ChildResult> children;

  HarnessedJob(StageHarness run, String input, List<ChildResult> children) {
    super(run);
    this.input = input;
    this.children = children;
  }

  @Override
  public Reader input() {
    return new StringReader(input);
  }

  @Override
  public Stream<ChildResult> children() {
    return children.stream();
  }

  @Override
  public Optional<String> jobId() {
    return Optional.of("1");
  }
}
