package io.asyncflow.flowsvr.compose.store;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Adobe's S3Mock as a process of its own, from the jar that the build has copied. */
final class S3Mock implements AutoCloseable {

  static final String BUCKET = "objects";

  private static final Pattern STARTED = Pattern.compile("Tomcat started .*?(\\d+) \\(http\\)");

  private final Process process;
  private final CompletableFuture<Integer> port = new CompletableFuture<>();

  private S3Mock(Process process) {
    this.process = process;
    Thread reader = new Thread(this::readLog, "s3mock-log");
    reader.setDaemon(true);
    reader.start();
  }

  /** Starts it on a free port, with an empty bucket. */
  static S3Mock start(Path files) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder command =
        new ProcessBuilder(
                java,
                "-XX:TieredStopAtLevel=1",
                "-jar",
                "target/s3mock/s3mock.jar",
                "--server.port=0",
                "--com.adobe.testing.s3mock.httpPort=0",
                "--com.adobe.testing.s3mock.store.initialBuckets=" + BUCKET,
                "--com.adobe.testing.s3mock.store.root=" + files)
            .redirectErrorStream(true);
    return new S3Mock(command.start());
  }

  private void readLog() {
    StringBuilder log = new StringBuilder();
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        log.append(line).append('\n');
        Matcher started = STARTED.matcher(line);
        if (started.find()) {
          port.complete(Integer.parseInt(started.group(1)));
        }
      }
    } catch (IOException e) {
      port.completeExceptionally(e);
    }
    port.completeExceptionally(new UncheckedIOException(new IOException("S3Mock ended: " + log)));
  }

  /** Waits until it is there. */
  String endpoint() throws Exception {
    return "http://127.0.0.1:" + port.get(120, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
