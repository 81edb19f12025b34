package io.asyncflow.dev.command;

import io.asyncflow.dev.command.WholeNumber.UpTo1000;
import picocli.CommandLine.Option;

/** Which part of a long list is shown. */
final class PageOptions {

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      converter = UpTo1000.class,
      description = "the most that are shown (${DEFAULT-VALUE})")
  int limit;

  @Option(names = "--cursor", paramLabel = "C", description = "goes on where a list ended")
  String cursor;
}
