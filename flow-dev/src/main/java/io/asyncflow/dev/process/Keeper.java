package io.asyncflow.dev.process;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.host.OtherThread;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Restarts a program whenever it ends by itself, as a supervisor in production would; gives up if
 * it ends again at once.
 *
 * <p>It waits on its own thread. After {@link #close} it starts nothing.
 */
public final class Keeper implements AutoCloseable {
  private static final Duration SHORT_LIFE = Duration.ofSeconds(3);

  private final String program;
  private final Path log;
  private final Supplier<ChildProcess> process;
  private final Runnable restart;
  private final BooleanSupplier endIsWanted;
  private final Consumer<String> pastHelp;
  private final Thread thread;

  /**
   * Starts to watch a program.
   *
   * @param program the program's name for messages
   * @param log the file of its output
   * @param process the present or last process
   * @param restart restarts the program
   * @param endIsWanted whether an end of the program is intended
   * @param pastHelp receives a sentence when the program cannot be kept running
   */
  public Keeper(
      String program,
      Path log,
      Supplier<ChildProcess> process,
      Runnable restart,
      BooleanSupplier endIsWanted,
      Consumer<String> pastHelp) {
    this.program = program;
    this.log = log;
    this.process = process;
    this.restart = restart;
    this.endIsWanted = endIsWanted;
    this.pastHelp = pastHelp;
    this.thread = OtherThread.daemon("keep-" + program, this::keep);
    thread.start();
  }

  private void keep() {
    Duration leastLife = Duration.ZERO;
    try {
      while (true) {
        long begin = System.nanoTime();
        String end = program + " ended with exit code " + process.get().awaitEnd();
        if (endIsWanted.getAsBoolean()) {
          return;
        }
        if (System.nanoTime() - begin < leastLife.toNanos()) {
          pastHelp.accept(end + " as soon as it was started again; its log is " + log + ".");
          return;
        }
        System.err.println(
            "asyncflow: "
                + end
                + "; starting it again. What it said last: "
                + ProcessLog.earlier(log));
        restart.run();
        leastLife = SHORT_LIFE;
      }
    } catch (InterruptedException e) {
      // Closed: from now on every end is intended.
    } catch (DevException e) {
      pastHelp.accept(e.getMessage());
    }
  }

  /**
   * Stops restarting; returns when no restart is in progress. An interrupted restart leaves its
   * process running.
   */
  @Override
  public void close() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }
}
