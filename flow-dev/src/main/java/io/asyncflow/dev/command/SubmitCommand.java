package io.asyncflow.dev.command;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.OneLine;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.environment.ServerOption;
import io.asyncflow.dev.speech.JobDisplay;
import io.asyncflow.dev.speech.SpeechJob;
import io.asyncflow.dev.speech.SpeechReport;
import io.asyncflow.dev.speech.TextToSpeak;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code ./asyncflow submit}: has a text spoken by the workers of a server somewhere. It knows that
 * server by HTTP alone.
 */
@Command(
    name = "submit",
    description =
        "Has a text spoken by the workers of a running server, shows how far that is, and fetches"
            + " the speech: a WAV and, where the workers have ffmpeg, an MP3 beside it.",
    footer =
        "A key for the server is taken from FLOW_API_KEY, or from the file that FLOW_API_KEY_FILE"
            + " names.",
    exitCodeList = {"0:done", "1:failed", "2:not understood", "3:the server cannot be reached"})
final class SubmitCommand implements Callable<Integer> {
  /** For an answer; a book takes a while to send. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Parameters(
      paramLabel = "FILE",
      description =
          "a text in UTF-8; empty lines separate its paragraphs, which are spoken side by side")
  private Path file;

  @Mixin private final ServerOption server = new ServerOption();

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "where the WAV goes; FILE with the ending .wav if it is not given")
  private Path out;

  @Option(
      names = "--user",
      paramLabel = "NAME",
      defaultValue = "${sys:user.name:-submit}",
      description = "who the job is for; your name on this machine if it is not given")
  private String user;

  @Option(
      names = "--again",
      description =
          "speak it once more: the same text of the same user is one job otherwise, so that a"
              + " submit may be repeated, and goes on where the first one was")
  private boolean again;

  private final Map<String, String> environment;
  private final PrintStream console;
  private final PrintStream err;
  private final boolean terminal;
  private volatile String jobId;
  private volatile boolean over;

  SubmitCommand(
      Map<String, String> environment, PrintStream console, PrintStream err, boolean terminal) {
    this.environment = environment;
    this.console = console;
    this.err = err;
    this.terminal = terminal;
  }

  /** The server that is named, or that the environment names. */
  URI server() {
    return server.url(environment);
  }

  /** Where the speech goes: beside the text unless another place is named. */
  Path wav() {
    if (out != null) {
      return out;
    }
    String name = file.getFileName() == null ? "speech" : file.getFileName().toString();
    int dot = name.lastIndexOf('.');
    return file.resolveSibling((dot > 0 ? name.substring(0, dot) : name) + ".wav");
  }

  @Override
  public Integer call() {
    try {
      submit();
      return 0;
    } catch (FlowUnreachableException e) {
      return complain(e.getMessage(), Asyncflow.UNREACHABLE);
    } catch (DevException | FlowException e) {
      return complain(e.getMessage(), Asyncflow.FAILED);
    } finally {
      over = true;
    }
  }

  private int complain(String why, int exitCode) {
    err.println("asyncflow: " + why);
    if (jobId != null) {
      err.println(
          "The same command looks at job " + jobId + " again; --again speaks the text once more.");
    }
    return exitCode;
  }

  private void submit() {
    URI url = server();
    TextToSpeak text = TextToSpeak.in(file);
    Path wav = wav().toAbsolutePath();
    if (!Files.isDirectory(wav.getParent()) || Files.isDirectory(wav)) {
      throw new DevException("The speech cannot be written to " + wav() + ".");
    }
    FlowClient flow = server.client(environment, PATIENCE);
    NewJob job = NewJob.of(SpeechJob.TYPE, user, text.text());
    String key = again ? UUID.randomUUID().toString() : keyOf(job);
    // The server may be anybody's, and its id is for the terminal.
    jobId = OneLine.of(flow.jobs().createJob(job.withIdempotencyKey(key)));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> sayHowItGoesOn(url), "leave"));
    console.println("Job " + jobId);
    SpeechJob.Speech speech = new SpeechJob(flow, jobId).await(JobDisplay.on(console, terminal));
    SpeechReport.write(flow, jobId, speech, wav(), console);
  }

  /** The same text of the same user is the same job. */
  private static String keyOf(NewJob job) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update((job.userId() + "\n").getBytes(StandardCharsets.UTF_8));
      digest.update(job.jobInput().getBytes(StandardCharsets.UTF_8));
      return "submit-" + HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** On Ctrl-C: the job is the server's, and does not end with who looks at it. */
  private void sayHowItGoesOn(URI url) {
    if (!over) {
      err.printf(
          Locale.ROOT,
          "%nJob %1$s goes on. The same command looks at it again; or%n"
              + "  curl '%2$s/api/job/getJob?jobId=%1$s'%n"
              + "  curl -X POST '%2$s/api/job/cancel?jobId=%1$s'   cancels it%n",
          jobId,
          url);
    }
  }
}
