package io.asyncflow.dev.command;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The standard output of a command, whose failure ends the command: a {@link PrintStream} alone
 * keeps it to itself. The first write that fails throws {@link Unwritable} in the thread that has
 * opened this; what follows it is discarded, so that the end of the command needs no output.
 */
final class StandardOutput extends FilterOutputStream {

  /** Where standard output leads; names a pipe or a socket by its kind. */
  private static final Path TARGET = Path.of("/proc/self/fd/1");

  /** The output of a command cannot be written. */
  static final class Unwritable extends UncheckedIOException {
    private static final long serialVersionUID = 1L;

    private final boolean isReadNoMore;

    Unwritable(IOException cause, boolean isReadNoMore) {
      super(cause);
      this.isReadNoMore = isReadNoMore;
    }

    /** Whether its reader has ended, as {@code head} does after its last line. */
    boolean isReadNoMore() {
      return isReadNoMore;
    }
  }

  private final Thread owner = Thread.currentThread();
  private final boolean hasReader;
  private volatile Unwritable failure;

  /**
   * @param hasReader whether it leads to another process: a write then fails only after its end
   */
  StandardOutput(OutputStream out, boolean hasReader) {
    super(out);
    this.hasReader = hasReader;
  }

  /** That of this process. */
  static StandardOutput ofProcess() {
    return new StandardOutput(
        new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)), leadsToAProcess());
  }

  /** Prints to it, in UTF-8, as JSON is. */
  PrintStream printer() {
    return new PrintStream(this, true, StandardCharsets.UTF_8);
  }

  /** Why it cannot be written; {@code null} if everything was. */
  Unwritable failure() {
    return failure;
  }

  /** By its kind, because the message of a failure depends on the language of the machine. */
  private static boolean leadsToAProcess() {
    try {
      return Files.readSymbolicLink(TARGET).toString().matches("(pipe|socket):.*");
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void write(int b) {
    attempt(() -> out.write(b));
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    attempt(() -> out.write(bytes, offset, length));
  }

  @Override
  public void flush() {
    attempt(out::flush);
  }

  @FunctionalInterface
  private interface Write {
    void run() throws IOException;
  }

  private void attempt(Write write) {
    if (failure != null) {
      return;
    }
    try {
      write.run();
    } catch (IOException e) {
      failure = new Unwritable(e, hasReader);
      if (Thread.currentThread() == owner) {
        throw failure;
      }
    }
  }
}
