package io.asyncflow.dev.command.option;

import io.asyncflow.dev.command.option.WholeNumber.UpTo1000;
import picocli.CommandLine.Option;

/** Which part of a long list is shown. */
public final class PageOptions {

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      converter = UpTo1000.class,
      description = "the most that are shown (${DEFAULT-VALUE}), 1000 at most")
  private int limit;

  @Option(names = "--cursor", paramLabel = "C", description = "goes on where a list ended")
  private String cursor;

  /** The most that are shown. */
  public int limit() {
    return limit;
  }

  /** Where the list goes on; {@code null} for its begin. */
  public String cursor() {
    return cursor;
  }
}
