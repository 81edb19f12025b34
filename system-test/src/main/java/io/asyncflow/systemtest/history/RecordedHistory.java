package io.asyncflow.systemtest.history;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * The files of a directory, each in the order of time, merged line by line: a history may be larger
 * than the memory.
 */
record RecordedHistory(Path directory) implements History {

  private static final ObjectReader LINE = JsonMapper.builder().build().readerFor(Event.class);

  @Override
  public void tell(Consumer<Event> listener) {
    PriorityQueue<Source> sources =
        new PriorityQueue<>(Comparator.comparingLong((Source source) -> source.next.at()));
    try {
      open(sources);
      while (!sources.isEmpty()) {
        Source earliest = sources.remove();
        listener.accept(earliest.next);
        if (earliest.advance()) {
          sources.add(earliest);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the history in " + directory + " cannot be read", e);
    } finally {
      sources.forEach(Source::close);
    }
  }

  private void open(PriorityQueue<Source> sources) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(f -> f.toString().endsWith(Recorder.SUFFIX)).toList()) {
        Source source = new Source(file);
        if (source.advance()) {
          sources.add(source);
        }
      }
    }
  }

  /** What is left of a file. */
  private static final class Source {

    private final Path file;
    private final BufferedReader lines;
    private Event next;

    Source(Path file) throws IOException {
      this.file = file;
      this.lines = Files.newBufferedReader(file);
    }

    /** {@code false} at the end of the file, which is closed then. */
    boolean advance() throws IOException {
      String line = lines.readLine();
      if (line == null) {
        close();
        return false;
      }
      try {
        next = LINE.readValue(line);
        return true;
      } catch (JacksonException e) {
        boolean cutByAKill = lines.readLine() == null;
        close();
        if (cutByAKill) {
          return false;
        }
        throw new IOException(file + " has a bad line: " + line, e);
      }
    }

    void close() {
      try {
        lines.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
