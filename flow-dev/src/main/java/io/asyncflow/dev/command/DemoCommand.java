package io.asyncflow.dev.command;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.dev.environment.ApiKey;
import io.asyncflow.dev.environment.Installation;
import io.asyncflow.dev.speech.JobDisplay;
import io.asyncflow.dev.speech.SpeechReport;
import io.asyncflow.dev.speech.TextToSpeak;
import io.asyncflow.dev.stack.ClaimedPort;
import io.asyncflow.dev.stack.LocalStack;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code ./asyncflow demo}: starts everything embedded and has one text spoken. With {@code --keep}
 * everything runs on afterwards, so that the console can be looked at.
 */
@Command(
    name = "demo",
    description =
        "Speaks a text, with MariaDB, Redis, flowsvr and two workers embedded. The last line is the"
            + " WAV.")
final class DemoCommand extends StackCommand {
  @Parameters(
      arity = "0..1",
      paramLabel = "FILE",
      description =
          "a text in UTF-8; empty lines separate its paragraphs, which are spoken side by side (one"
              + " comes along)")
  private Path file;

  @Option(
      names = "--keep",
      description = "run on until Ctrl-C, so that the console shows what was done")
  private boolean keep;

  DemoCommand(Installation installation) {
    super(installation);
  }

  @Override
  void run() {
    // Looked at before anything starts: a wrong name should not cost half a minute.
    TextToSpeak text = text();
    ApiKey key = ApiKey.in(System.getenv());
    Path directory = installation.dataDirectory("demo");
    int port = Integer.parseInt(DevCommand.DEFAULT_PORT);
    try (LocalStack stack = stackIn(directory, key, () -> ClaimedPort.preferring(port))) {
      start(stack, "MariaDB, Redis, flowsvr and two workers");
      FlowClient flow = new HttpFlowClient(stack.url(), key.text());
      ExampleTaskTypes.createMissing(flow);
      stack.startWorkers(2);
      if (keep) {
        System.out.println("The console is at " + stack.console());
      }
      JobDisplay display = JobDisplay.on(System.out, Asyncflow.isTerminal());
      Demo.Spoken spoken = new Demo(flow, stack.failure(), display).speak(text.text());
      Path output = SpacelessDirectory.preferring(directory.resolve("speech"));
      Path wav = output.resolve(spoken.jobId() + ".wav");
      SpeechReport.write(flow, spoken.jobId(), spoken.speech(), wav, System.out);
      if (keep) {
        System.out.println("Ctrl-C ends it; until then, the console is at " + stack.console());
        untilItFails(stack);
      }
    }
  }

  private TextToSpeak text() {
    if (file == null) {
      return TextToSpeak.bundled();
    }
    TextToSpeak text = TextToSpeak.in(file);
    text.requireVoice(System.getenv("PATH"));
    return text;
  }
}
