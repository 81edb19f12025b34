package io.asyncflow.flowsvr;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles uncaught exceptions of threads.
 *
 * <p>Tomcat accepts connections with one thread and polls them with another, and restarts neither.
 * If one of them dies of an {@link OutOfMemoryError}, the process lives on but serves no request.
 * So an {@link OutOfMemoryError} ends the process, and its supervisor restarts it.
 */
final class ThreadDeaths implements Thread.UncaughtExceptionHandler {

  /** The exit code of {@code -XX:+ExitOnOutOfMemoryError}. */
  static final int OUT_OF_MEMORY = 3;

  // Prepared in advance and written past System.err, because no memory is left to build or encode a
  // text.
  private static final byte[] LAST_WORDS =
      "flowsvr is out of memory and ends; give it more by -Xmx\n".getBytes(US_ASCII);
  private static final FileOutputStream ERRORS = new FileOutputStream(FileDescriptor.err);

  private static final Logger log = LoggerFactory.getLogger(ThreadDeaths.class);

  private final IntConsumer halt;

  /**
   * @param halt ends the process with this exit code, without shutdown hooks, which need memory
   */
  ThreadDeaths(IntConsumer halt) {
    this.halt = halt;
  }

  /** Handles all threads of this process that have no other handler. */
  static void watch() {
    Thread.setDefaultUncaughtExceptionHandler(new ThreadDeaths(Runtime.getRuntime()::halt));
  }

  @Override
  public void uncaughtException(Thread thread, Throwable failure) {
    if (!(failure instanceof OutOfMemoryError)) {
      log.error("the thread {} ended with an uncaught exception", thread.getName(), failure);
      return;
    }
    try {
      ERRORS.write(LAST_WORDS);
    } catch (IOException e) {
      // standard error is closed
    } finally {
      halt.accept(OUT_OF_MEMORY);
    }
  }
}
