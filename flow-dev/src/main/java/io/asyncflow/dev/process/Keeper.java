package io.asyncflow.dev.process;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.host.OtherThread;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Starts a program again whenever it ends by itself, as its supervisor in production would; one
 * that ends again at once is past help.
 *
 * <p>It waits on a thread of its own. After {@link #close} it starts nothing any more.
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
   * Begins to watch over a program.
   *
   * @param program what people call it
   * @param log where its output goes
   * @param process the one that runs now, or ran last
   * @param restart starts it again
   * @param endIsWanted whether an end is none to be repaired
   * @param pastHelp is told in a sentence when the program cannot be kept running
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
      // Closed: whatever ends from now on is meant to.
    } catch (DevException e) {
      pastHelp.accept(e.getMessage());
    }
  }

  /** Returns when nothing will be started any more; an interrupted restart leaves its process. */
  @Override
  public void close() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }
}
