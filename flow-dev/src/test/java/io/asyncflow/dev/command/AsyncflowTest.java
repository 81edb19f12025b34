package io.asyncflow.dev.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import io.asyncflow.dev.command.option.WholeNumber.Port;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.security.cert.CertPathBuilderException;
import java.util.concurrent.Callable;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What all commands have in common. */
class AsyncflowTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final Probe probe = new Probe();

  /** A command that does what a test wants. */
  @Command(name = "probe", description = "Probes.")
  static final class Probe implements Callable<Integer> {
    @Option(names = "--port", paramLabel = "P", converter = Port.class, description = "a port")
    int port;

    @Option(names = "--no-worker", description = "without a worker")
    boolean noWorker;

    @Parameters(arity = "0..1", paramLabel = "FILE", description = "a file")
    String file;

    RuntimeException failure;
    PrintStream prints;

    @Override
    public Integer call() {
      if (prints != null) {
        prints.println("a line");
      }
      if (failure != null) {
        throw failure;
      }
      return 0;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"-h", "--help"})
  void helpIsTheSameForAll(String option) {
    assertThat(run(option)).isZero();
    assertThat(out.toString())
        .isEqualTo(
            """
            Usage: ./asyncflow probe [-h] [--no-worker] [--port=P] [FILE]

            Probes.

                  [FILE]        a file

                  --port=P      a port
                  --no-worker   without a worker
              -h, --help        show this

            Exit codes:
              0   done
              1   failed
              2   not understood
            """);
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void theNearestOptionIsNamed() {
    assertRefused("probe does not know --ports; did you mean --port?", "--ports", "1");
    assertRefused("probe does not know --noworker; did you mean --no-worker?", "--noworker");
    assertRefused("probe does not know --x.", "--x");
    assertRefused("probe takes one FILE, and b.txt is another.", "a.txt", "b.txt");
  }

  @Test
  void aMissingValueIsNamed() {
    assertRefused("--port needs a value.", "--port");
    assertRefused("--port needs a value.", "--port", "--no-worker");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "65536", "-1", "http", "99999999999", ""})
  void aNumberOutOfRangeIsRefused(String port) {
    assertRefused("--port wants a whole number from 1 to 65535, not " + port + ".", "--port", port);
  }

  @Test
  void aValueMayFollowAnEqualsSign() {
    assertThat(run("--port=9000")).isZero();
    assertThat(probe.port).isEqualTo(9000);
  }

  @Test
  void aFileMayHaveTheNameOfAnArgumentFile() {
    assertThat(run("@a")).isZero();
    assertThat(probe.file).isEqualTo("@a");
  }

  @Test
  void whatACommandCannotDoIsOneSentence() {
    probe.failure = new DevException("The port is taken.");
    assertThat(run()).isEqualTo(1);
    assertThat(err).hasToString("asyncflow: The port is taken.\n");
  }

  @Test
  void outputThatCannotBeWrittenIsAFailure() {
    probe.prints = full(false).printer();
    assertThat(run()).isEqualTo(1);
    assertThat(err)
        .hasToString(
            "asyncflow: Standard output cannot be written: No space left on device. What the command"
                + " had to do may be done.\n");
  }

  @Test
  void aReaderThatHasEndedEndsTheCommandWithoutAWord() {
    probe.prints = full(true).printer();
    assertThat(run()).isEqualTo(141);
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void afterTheFirstFailureOutputIsDiscarded() {
    StandardOutput output = full(false);
    PrintStream out = output.printer();
    assertThatThrownBy(() -> out.println("a line")).isSameAs(output.failure());
    out.println("at the end of the command");
    assertThat(output.failure()).hasRootCauseMessage("No space left on device");
  }

  private static StandardOutput full(boolean hasReader) {
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("No space left on device");
          }
        };
    return new StandardOutput(full, hasReader);
  }

  @Test
  void anAuthorityThatNobodyTrustsIsToldHowToTrust() {
    SSLHandshakeException handshake = new SSLHandshakeException("PKIX path building failed");
    handshake.initCause(new CertPathBuilderException("no path"));
    probe.failure = new FlowUnreachableException("flowsvr cannot be reached over TLS", handshake);
    assertThat(run()).isEqualTo(1);
    assertThat(err)
        .hasToString(
            "asyncflow: flowsvr cannot be reached over TLS; FLOW_CA may name a PEM file with the"
                + " authority of its certificate\n");
  }

  @Test
  void whatACommandDoesNotUnderstandIsLikeAnOptionThatIsNotUnderstood() {
    probe.failure = new UsageException("Two keys are set.");
    assertRefused("Two keys are set.");
  }

  private void assertRefused(String sentence, String... arguments) {
    err.getBuffer().setLength(0);
    assertThat(run(arguments)).isEqualTo(2);
    assertThat(err)
        .hasToString("asyncflow: " + sentence + "\n./asyncflow probe --help says more.\n");
    assertThat(out.toString()).isEmpty();
  }

  private int run(String... arguments) {
    String[] line = new String[arguments.length + 1];
    line[0] = "probe";
    System.arraycopy(arguments, 0, line, 1, arguments.length);
    return Asyncflow.of(probe)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(line);
  }
}
