package io.asyncflow.dev.command;

import picocli.CommandLine.Option;

/** What is recorded with an act. */
final class ActOptions {

  @Option(
      names = "--operator",
      paramLabel = "NAME",
      defaultValue = "${sys:user.name:-cli}",
      description = "recorded with the act; your name on this machine if it is not given")
  String operator;

  @Option(names = "--reason", paramLabel = "TEXT", description = "recorded with the act")
  String reason;
}
