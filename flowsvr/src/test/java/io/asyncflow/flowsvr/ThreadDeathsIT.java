package io.asyncflow.flowsvr;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a process, another one than this, when a thread of it dies. */
@Timeout(60)
class ThreadDeathsIT {

  /** Lets a thread die as the argument says, and goes on with what it has to do. */
  static final class Program {

    private Program() {}

    public static void main(String[] arguments) throws InterruptedException {
      ThreadDeaths.watch();
      Thread acceptor =
          new Thread(
              () -> {
                if (arguments[0].equals("memory")) {
                  throw new OutOfMemoryError("Java heap space");
                }
                throw new IllegalStateException("a bug");
              },
              "acceptor");
      acceptor.start();
      acceptor.join();
      System.out.println("goes on");
    }
  }

  @Test
  void threadThatFindsNoMemoryEndsTheProcess() throws Exception {
    Process process = start("memory");

    assertThat(outputOf(process))
        .isEqualTo("flowsvr is out of memory and ends; give it more by -Xmx\n");
    assertThat(process.waitFor()).isEqualTo(3);
  }

  @Test
  void threadThatEndsByAnotherFailureEndsAlone() throws Exception {
    Process process = start("bug");

    assertThat(outputOf(process))
        .contains("the thread acceptor ended with an uncaught exception", "a bug")
        .endsWith("goes on\n");
    assertThat(process.waitFor()).isZero();
  }

  private static Process start(String failure) throws IOException {
    ProcessBuilder program =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Program.class.getName(),
            failure);
    program.environment().remove("JAVA_TOOL_OPTIONS"); // or it says that it has picked them up
    return program.redirectErrorStream(true).start();
  }

  private static String outputOf(Process process) throws IOException {
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }
}
