package io.asyncflow.dev.command.option;

import io.asyncflow.dev.UsageException;
import picocli.CommandLine.Option;

/** What is recorded with an act. */
public final class ActOptions {

  @Option(
      names = "--operator",
      paramLabel = "NAME",
      defaultValue = "${sys:user.name:-cli}",
      description = "recorded with the act; your name on this machine if it is not given")
  private String operator;

  @Option(names = "--reason", paramLabel = "TEXT", description = "recorded with the act")
  private String reason;

  /** The name of the caller. */
  public String operator() {
    return operator;
  }

  /** Why, or {@code null}. */
  public String reason() {
    return reason;
  }

  /**
   * Why, for an act that is not done without it.
   *
   * @param command the name of the act's command
   * @throws UsageException if no reason is given
   */
  public String requiredReason(String command) {
    if (reason == null || reason.isBlank()) {
      throw new UsageException(command + " needs --reason TEXT.");
    }
    return reason;
  }
}
