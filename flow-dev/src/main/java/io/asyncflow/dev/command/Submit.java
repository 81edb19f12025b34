package io.asyncflow.dev.command;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.OneLine;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.environment.ApiKey;
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
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The main class behind {@code ./asyncflow submit}: has a text spoken by the workers of a server
 * somewhere. It knows that server by HTTP alone.
 *
 * <p>Exit codes: 0 done, 1 failed, 2 not understood, 3 the server cannot be reached; why stands on
 * standard error.
 */
public final class Submit {
  private static final int FAILED = 1;
  private static final int NOT_UNDERSTOOD = 2;
  private static final int UNREACHABLE = 3;

  /** For an answer; a book takes a while to send. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Map<String, String> environment;
  private final PrintStream out;
  private final PrintStream err;
  private final boolean terminal;
  private volatile String jobId;
  private volatile boolean over;

  Submit(Map<String, String> environment, PrintStream out, PrintStream err, boolean terminal) {
    this.environment = environment;
    this.out = out;
    this.err = err;
    this.terminal = terminal;
  }

  /**
   * Submits a text and waits for the speech.
   *
   * @param arguments as {@link SubmitOptions#HELP} says
   */
  public static void main(String[] arguments) {
    Submit submit =
        new Submit(
            System.getenv(),
            System.out,
            System.err,
            Boolean.getBoolean(DevLauncher.TERMINAL_PROPERTY));
    System.exit(submit.run(List.of(arguments)));
  }

  int run(List<String> arguments) {
    if (arguments.contains("--help") || arguments.contains("-h")) {
      out.print(SubmitOptions.HELP);
      return 0;
    }
    try {
      submit(
          SubmitOptions.parse(
              arguments, environment.get("FLOW_URL"), System.getProperty("user.name", "submit")));
      return 0;
    } catch (UsageException e) {
      return complain(e.getMessage(), NOT_UNDERSTOOD);
    } catch (FlowUnreachableException e) {
      return complain(e.getMessage(), UNREACHABLE);
    } catch (DevException | FlowException e) {
      return complain(e.getMessage(), FAILED);
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

  private void submit(SubmitOptions options) {
    TextToSpeak text = TextToSpeak.in(options.text());
    Path wav = options.out().toAbsolutePath();
    if (!Files.isDirectory(wav.getParent()) || Files.isDirectory(wav)) {
      throw new DevException("The speech cannot be written to " + options.out() + ".");
    }
    FlowClient flow = new HttpFlowClient(options.url(), ApiKey.in(environment).text(), PATIENCE);
    NewJob job = NewJob.of(SpeechJob.TYPE, options.user(), text.text());
    String key = options.again() ? UUID.randomUUID().toString() : keyOf(job);
    // The server may be anybody's, and its id is for the terminal.
    jobId = OneLine.of(flow.jobs().createJob(job.withIdempotencyKey(key)));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> sayHowItGoesOn(options.url()), "leave"));
    out.println("Job " + jobId);
    SpeechJob.Speech speech = new SpeechJob(flow, jobId).await(JobDisplay.on(out, terminal));
    SpeechReport.write(flow, jobId, speech, options.out(), out);
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
          "%nJob %1$s goes on. The same command looks at it again; or%n"
              + "  curl '%2$s/api/job/getJob?jobId=%1$s'%n"
              + "  curl -X POST '%2$s/api/job/cancel?jobId=%1$s'   cancels it%n",
          jobId, url);
    }
  }
}
