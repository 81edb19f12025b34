package io.asyncflow.dev.command;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.dev.command.option.WholeNumber.Port;
import io.asyncflow.dev.environment.ApiKey;
import io.asyncflow.dev.environment.Installation;
import io.asyncflow.dev.stack.ClaimedPort;
import io.asyncflow.dev.stack.LocalStack;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./asyncflow dev}: runs everything embedded until it is stopped. */
@Command(
    name = "dev",
    description =
        "Runs everything embedded until Ctrl-C: MariaDB, Redis, flowsvr and the example worker. The"
            + " data survives a restart.",
    footer =
        "A key for the server and the worker is taken from FLOW_API_KEY, or from the file that"
            + " FLOW_API_KEY_FILE names.")
final class DevCommand extends StackCommand {
  static final String DEFAULT_PORT = "8081";

  @Option(
      names = "--port",
      paramLabel = "P",
      defaultValue = DEFAULT_PORT,
      converter = Port.class,
      description = "where flowsvr listens (${DEFAULT-VALUE})")
  private int port;

  @Option(
      names = "--data-dir",
      paramLabel = "D",
      description = "where all data lives (.asyncflow/dev of the checkout)")
  private Path dataDirectory;

  @Option(names = "--no-worker", description = "without the example worker")
  private boolean noWorker;

  DevCommand(Installation installation) {
    super(installation);
  }

  int port() {
    return port;
  }

  boolean hasWorker() {
    return !noWorker;
  }

  Path dataDirectory() {
    Path directory = dataDirectory == null ? installation.dataDirectory("dev") : dataDirectory;
    return directory.toAbsolutePath().normalize();
  }

  @Override
  void run() {
    ApiKey key = ApiKey.in(System.getenv());
    try (LocalStack stack = stackIn(dataDirectory(), key, () -> ClaimedPort.of(port))) {
      start(stack, "MariaDB, Redis" + (hasWorker() ? ", flowsvr and a worker" : " and flowsvr"));
      FlowClient flow = new HttpFlowClient(stack.url(), key.text());
      ExampleTaskTypes.createMissing(flow);
      if ("true".equals(System.getenv("FLOW_LEGACY_PATHS"))) {
        ExampleTaskTypes.spellForOldWorkers(flow);
      }
      if (hasWorker()) {
        HelloSchedule.createMissing(flow.schedules());
        stack.startWorkers(1);
        stack.awaitWorkers(1);
      }
      stack.services().forEach(System.out::println);
      if (hasWorker()) {
        System.out.println(
            "A task each minute: ./asyncflow schedule show hello --url " + stack.url());
      }
      System.out.println("Logs in " + stack.logDirectory());
      System.out.println("The console is at " + stack.console());
      System.out.println("Asyncflow is ready at " + stack.url());
      untilItFails(stack);
    }
  }
}
