package io.asyncflow.systemtest.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * Everything that all processes recorded, in the order of time.
 *
 * @param events sorted by their time
 */
public record History(List<Event> events) {

  private static final ObjectReader LINE = JsonMapper.builder().build().readerFor(Event.class);

  public History {
    List<Event> sorted = new ArrayList<>(events);
    sorted.sort(Comparator.comparingLong(Event::at));
    events = List.copyOf(sorted);
  }

  /** Reads what {@link Recorder}s have written to a directory, whether they are closed or not. */
  public static History read(Path directory) {
    List<Event> events = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(f -> f.toString().endsWith(Recorder.SUFFIX)).toList()) {
        readInto(events, file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the history in " + directory + " cannot be read", e);
    }
    return new History(events);
  }

  private static void readInto(List<Event> events, Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    for (int i = 0; i < lines.size(); i++) {
      try {
        events.add(LINE.readValue(lines.get(i)));
      } catch (JacksonException e) {
        boolean cutByAKill = i == lines.size() - 1;
        if (!cutByAKill) {
          throw new IOException(file + " has a bad line " + (i + 1) + ": " + lines.get(i), e);
        }
      }
    }
  }
}
