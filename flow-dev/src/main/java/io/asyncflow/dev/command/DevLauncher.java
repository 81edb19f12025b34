package io.asyncflow.dev.command;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.environment.ApiKey;
import io.asyncflow.dev.environment.Installation;
import io.asyncflow.dev.speech.JobDisplay;
import io.asyncflow.dev.speech.SpeechReport;
import io.asyncflow.dev.speech.TextToSpeak;
import io.asyncflow.dev.stack.ClaimedPort;
import io.asyncflow.dev.stack.LocalStack;
import io.asyncflow.dev.stack.StartDisplay;
import java.nio.file.Path;
import java.util.List;

/**
 * The main class behind {@code ./asyncflow dev} and {@code ./asyncflow demo}.
 *
 * <p>Exit codes: 0 done, 1 failed with one sentence on standard error, 2 not understood.
 */
public final class DevLauncher {
  static final String TERMINAL_PROPERTY = "asyncflow.terminal";

  private static final String USAGE =
      """
      Usage: ./asyncflow dev [--port P] [--data-dir D] [--no-worker]
             ./asyncflow demo [file]
      """;

  private final Installation installation;
  private volatile boolean stopping;

  private DevLauncher(Installation installation) {
    this.installation = installation;
  }

  /**
   * Runs a command.
   *
   * @param arguments {@code dev [--port P] [--data-dir D] [--no-worker]} or {@code demo [file]}
   */
  public static void main(String[] arguments) {
    System.exit(new DevLauncher(Installation.current()).run(List.of(arguments)));
  }

  private int run(List<String> arguments) {
    try {
      String command = arguments.isEmpty() ? "" : arguments.get(0);
      switch (command) {
        case "dev" -> dev(arguments.subList(1, arguments.size()));
        case "demo" -> demo(arguments.subList(1, arguments.size()));
        default -> throw new UsageException("The commands are dev and demo.");
      }
      return 0;
    } catch (UsageException e) {
      int exitCode = complain(e, 2);
      System.err.print(USAGE);
      return exitCode;
    } catch (DevException | FlowException e) {
      return complain(e, 1);
    }
  }

  private int complain(RuntimeException e, int exitCode) {
    if (stopping) {
      // What was just starting complains that it was stopped; nobody wants to know.
      return exitCode;
    }
    System.err.println("asyncflow: " + e.getMessage());
    return exitCode;
  }

  private void dev(List<String> arguments) {
    DevOptions options = DevOptions.parse(arguments, installation.dataDirectory("dev"));
    ApiKey key = ApiKey.in(System.getenv());
    Path directory = options.dataDirectory();
    try (LocalStack stack =
        new LocalStack(
            installation,
            directory,
            key,
            () -> ClaimedPort.of(options.port()),
            new StartDisplay(System.out))) {
      stopOnSignal(stack);
      System.out.println(
          "Starting MariaDB, Redis"
              + (options.worker() ? ", flowsvr and a worker ..." : " and flowsvr ..."));
      sayIfRoot();
      stack.start();
      ExampleTaskTypes.createMissing(new HttpFlowClient(stack.url(), key.text()));
      if (options.worker()) {
        stack.startWorkers(1);
        stack.awaitWorkers(1);
      }
      stack.services().forEach(System.out::println);
      System.out.println("Logs in " + stack.logDirectory());
      System.out.println("Asyncflow is ready at " + stack.url());
      throw new DevException(stack.failure().join());
    }
  }

  private void demo(List<String> arguments) {
    // Looked at before anything starts: a wrong name should not cost half a minute.
    TextToSpeak text = textOfDemo(arguments);
    ApiKey key = ApiKey.in(System.getenv());
    Path directory = installation.dataDirectory("demo");
    try (LocalStack stack =
        new LocalStack(
            installation,
            directory,
            key,
            () -> ClaimedPort.preferring(DevOptions.DEFAULT_PORT),
            new StartDisplay(System.out))) {
      stopOnSignal(stack);
      System.out.println("Starting MariaDB, Redis, flowsvr and two workers ...");
      sayIfRoot();
      stack.start();
      FlowClient flow = new HttpFlowClient(stack.url(), key.text());
      ExampleTaskTypes.createMissing(flow);
      stack.startWorkers(2);
      JobDisplay display = JobDisplay.on(System.out, Boolean.getBoolean(TERMINAL_PROPERTY));
      Demo.Spoken spoken = new Demo(flow, stack.failure(), display).speak(text.text());
      Path output = SpacelessDirectory.preferring(directory.resolve("speech"));
      Path wav = output.resolve(spoken.jobId() + ".wav");
      SpeechReport.write(flow, spoken.jobId(), spoken.speech(), wav, System.out);
    }
  }

  private static void sayIfRoot() {
    if ("root".equals(System.getProperty("user.name"))) {
      System.out.println(
          "Started as root, and so are they: on 127.0.0.1 alone, with random passwords, in"
              + " directories of root's alone, and no SQL reads or writes a file.");
    }
  }

  private static TextToSpeak textOfDemo(List<String> arguments) {
    for (String argument : arguments) {
      if (argument.startsWith("-")) {
        throw new UsageException("demo does not know " + argument + ".");
      }
    }
    if (arguments.size() > 1) {
      throw new UsageException("demo takes one text file at most.");
    }
    if (arguments.isEmpty()) {
      return TextToSpeak.bundled();
    }
    TextToSpeak text = TextToSpeak.in(Path.of(arguments.get(0)));
    text.requireVoice(System.getenv("PATH"));
    return text;
  }

  /** SIGINT and SIGTERM stop everything in order; the JVM ends when that is done. */
  private void stopOnSignal(LocalStack stack) {
    CtrlC.endsInOrderAndThenAtOnce();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(stack), "stop"));
  }

  private void stop(LocalStack stack) {
    stopping = true;
    stack.close();
  }
}
