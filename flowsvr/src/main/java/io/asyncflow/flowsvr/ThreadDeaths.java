package io.asyncflow.flowsvr;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens when a thread ends by a failure that nobody caught.
 *
 * <p>Tomcat accepts and reads all connections by one thread each, and starts neither again. Where
 * one of them finds no memory the process would live on and hear nobody. So an {@link
 * OutOfMemoryError} ends it, for whoever watches it to start it again.
 */
final class ThreadDeaths implements Thread.UncaughtExceptionHandler {

  /** As of {@code -XX:+ExitOnOutOfMemoryError}. */
  static final int OUT_OF_MEMORY = 3;

  // Made before, and written past System.err, for there is no memory left to make or encode a text.
  private static final byte[] LAST_WORDS =
      "flowsvr is out of memory and ends; give it more by -Xmx\n".getBytes(US_ASCII);
  private static final FileOutputStream ERRORS = new FileOutputStream(FileDescriptor.err);

  private static final Logger log = LoggerFactory.getLogger(ThreadDeaths.class);

  private final IntConsumer halt;

  /**
   * @param halt ends the process with this exit code, without any shutdown hook: those want memory
   */
  ThreadDeaths(IntConsumer halt) {
    this.halt = halt;
  }

  /** Sees to all threads of this process that have no other handler. */
  static void watch() {
    Thread.setDefaultUncaughtExceptionHandler(new ThreadDeaths(Runtime.getRuntime()::halt));
  }

  @Override
  public void uncaughtException(Thread thread, Throwable failure) {
    if (!(failure instanceof OutOfMemoryError)) {
      log.error(
          "the thread {} has ended by a failure that nobody caught", thread.getName(), failure);
      return;
    }
    try {
      ERRORS.write(LAST_WORDS);
    } catch (IOException e) {
      // nobody listens
    } finally {
      halt.accept(OUT_OF_MEMORY);
    }
  }
}
